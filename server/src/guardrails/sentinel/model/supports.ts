// How much the grammar supports a match.

/** None at all, only with more vague words than a rule allows, as its rule demands, or with firm words only. */
export const supports = ['none', 'vague', 'usual', 'firm'] as const
export type Support = (typeof supports)[number]

/** For each support a score from which a text is an attack. */
export type Cuts = Readonly<Record<Support, number>>
