// The package's exports: minting on servers, tokens and client options for browsers, and the management API.
export { aiSdkOptions, openaiOptions } from './client-options.js';
export { createGatewayFetch } from './gateway-fetch.js';
export { createManagementClient } from './management.js';
export { createSallyport } from './mint.js';
export { SallyportError } from './sallyport-error.js';
export { createTokenProvider, } from './token-provider.js';
