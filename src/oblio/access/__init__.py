"""Who may touch what: subjects, their tickets and the fence."""
