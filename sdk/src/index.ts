// The package's exports: minting and webhooks on servers, tokens and client options for browsers, and the management
// API.

export { type AnonymousOptions, anonymousTokens } from './anonymous-tokens.ts'
export type { Fetch } from './call-gateway.ts'
export { type AiSdkOptions, aiSdkOptions, type OpenAiOptions, openaiOptions } from './client-options.ts'
export { type Feedback, sendFeedback } from './feedback.ts'
export { createGatewayFetch, type GatewayFetchOptions } from './gateway-fetch.ts'
export { createManagementClient, type ManagementClient, type ManagementOptions } from './management.ts'
export type { ManagementRoutes } from './management-types.ts'
export { createSallyport, type MintedToken, type MintOptions, type Sallyport, type SallyportOptions } from './mint.ts'
export { SallyportError } from './sallyport-error.ts'
export {
  createTokenProvider,
  type LoadContext,
  type LoadToken,
  type ProvidedToken,
  type TokenAnswer,
  type TokenProvider,
} from './token-provider.ts'
export { verifyWebhook, type WebhookDelivery, type WebhookEvent } from './verify-webhook.ts'
export type { AttestationKind, AttestationProof, ErrorResponse, MintRequest, MintResponse, Role } from './wire.ts'
