// What a plan limits, as far as the dashboard says it before the API refuses.

/** Active projects of a tenant on the free plan. */
export const freeProjects = 3
