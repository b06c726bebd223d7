// The errors of budgets, a part of the table in errors.ts.

export const budgetRows = {
  insufficient_quota: { status: 429, message: 'The budget of the day is used up', code: 'insufficient_quota' },
  model_not_priced: {
    status: 422,
    message: 'The model has no price, which a budget needs',
    code: 'model_not_priced',
  },
  too_many_user_budgets: { status: 409, message: 'A project can have budgets of at most 10,000 end users' },
} as const
