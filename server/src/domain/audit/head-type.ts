// The type of the signature under the end of a chain, by which it cannot be taken for a token.
export const auditHeadType = 'audit-head'
