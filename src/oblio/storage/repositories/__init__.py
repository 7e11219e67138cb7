"""One module a noun: the ports of `oblio.ports.tables` in SQL. Ids, times and states only; content is ciphertext."""
