// By what the requests of a project can be added up, besides their time. Each is a filter of the list, too.

export const requestDimensions = [
  'model',
  'provider',
  'tier',
  'endpoint',
  'prompt',
  'status',
  'error',
  'uid',
  'thread',
  'agent_session',
  'agent',
] as const
export type RequestDimension = (typeof requestDimensions)[number]

/** Groups with the most of it come first. */
export const requestOrders = ['requests', 'errors', 'tokens', 'cost_usd'] as const
export type RequestOrder = (typeof requestOrders)[number]
