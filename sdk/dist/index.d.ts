export type { Fetch } from './call-gateway.js';
export { type AiSdkOptions, aiSdkOptions, type OpenAiOptions, openaiOptions } from './client-options.js';
export { createGatewayFetch, type GatewayFetchOptions } from './gateway-fetch.js';
export { createManagementClient, type ManagementClient, type ManagementOptions } from './management.js';
export type { ManagementRoutes } from './management-types.js';
export { createSallyport, type MintedToken, type MintOptions, type Sallyport, type SallyportOptions } from './mint.js';
export { SallyportError } from './sallyport-error.js';
export { createTokenProvider, type LoadContext, type LoadToken, type ProvidedToken, type TokenAnswer, type TokenProvider, } from './token-provider.js';
export type { ErrorResponse, MintRequest, MintResponse, Role } from './wire.js';
