// Adds the budget that refused a request to the rows of the request log. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const budgetsOfRequests: Migration = {
  name: '0055-budgets-of-requests',
  statements: [],
  ofRequestLog: [
    'alter table if exists requests add column if not exists budget_level TEXT, add column if not exists budget_period TEXT',
  ],
}
