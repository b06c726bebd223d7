// The length of a day. Days are counted in UTC, so all have the same length.

export const dayMs = 24 * 60 * 60 * 1000
