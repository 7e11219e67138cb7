"""The vault: who can still read what.

Three kinds of keys, each wrapped by the one above it: an *epoch key* in a provider, a *subject key* in a slot file or a
table, a *unit key* beside the content it seals. Destroying one makes everything below it unreadable, in every copy.
"""
