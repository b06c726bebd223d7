// The revision with which stores publish that a document was removed: above every revision that a document can have.

export const forgottenRevision = Number.MAX_SAFE_INTEGER
