// Sends what an end user thinks of an answer, with the user's token.
import { readBaseUrl } from './gateway-address.ts'
import { createGatewayFetch, type GatewayFetchOptions } from './gateway-fetch.ts'
import { errorFromFailure, errorFromResponse } from './sallyport-error.ts'

export interface Feedback {
  /** The `x-request-id` of the answer; the request must be the user's own. */
  requestId: string
  /** From -1 to 1. */
  score: number
  /** At most 1,000 characters. */
  comment?: string
}

/** Replaces what the user said before. Throws a `SallyportError`. */
export async function sendFeedback(
  options: Pick<GatewayFetchOptions, 'baseUrl' | 'tokenProvider' | 'fetch'>,
  { requestId, score, comment }: Feedback,
): Promise<void> {
  const response = await createGatewayFetch(options)(`${readBaseUrl(options.baseUrl)}/v1/feedback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ request_id: requestId, score, comment }),
  }).catch((cause: unknown) => {
    throw errorFromFailure(cause)
  })
  const text = await response.text()
  if (!response.ok) throw errorFromResponse(response, text)
}
