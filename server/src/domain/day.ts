// How long a day is, where days are counted: they are UTC's and have no other length. Knows no clock.

export const dayMs = 24 * 60 * 60 * 1000
