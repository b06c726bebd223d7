// The package's exports: a provider, hooks, and errors as sentences.

export type { SallyportClient } from './create-client.ts'
export type { Limit, Limits } from './limits-store.ts'
export { SallyportProvider, type SallyportProviderProps, useSallyport } from './provider.ts'
export { toSentence } from './to-sentence.ts'
export { type Completion, type CompletionStatus, useCompletion } from './use-completion.ts'
export { useLimits } from './use-limits.ts'
