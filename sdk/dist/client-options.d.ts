import type { Fetch } from './call-gateway.js';
import { type GatewayFetchOptions } from './gateway-fetch.js';
export interface OpenAiOptions {
    baseURL: string;
    apiKey: string;
    fetch: Fetch;
    /** The browser holds a short-lived token, not an API key. */
    dangerouslyAllowBrowser: true;
}
/** `new OpenAI(openaiOptions({ baseUrl, tokenProvider }))` */
export declare function openaiOptions(options: GatewayFetchOptions): OpenAiOptions;
export interface AiSdkOptions {
    name: string;
    baseURL: string;
    apiKey: string;
    fetch: Fetch;
    includeUsage: true;
    supportsStructuredOutputs: true;
}
/** `createOpenAICompatible(aiSdkOptions({ baseUrl, tokenProvider }))` */
export declare function aiSdkOptions(options: GatewayFetchOptions): AiSdkOptions;
