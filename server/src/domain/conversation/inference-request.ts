// What a client asks a model for, free of any wire format, and the first look at it that an admission needs.

import type { ClientRules } from './client-rules.ts'
import type { Prompt } from './prompt.ts'
import type { TokenEstimate } from './token-estimate.ts'

export interface InferenceRequest {
  /** As the client wrote it; null where it named none. */
  model: string | null
  prompt: Prompt
}

/** A body whose frame is sound. The rest is read only if this process answers it: a bare gateway needs the estimate alone. */
export interface WeighedRequest {
  readonly estimate: TokenEstimate
  /** Applies the rules; throws the first invalid field. Reads once, however often it is called. */
  read(rules: ClientRules): InferenceRequest
}
