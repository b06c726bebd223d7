// The revision under which stores announce that a document is gone: above every revision that a document can have.

export const forgottenRevision = Number.MAX_SAFE_INTEGER
