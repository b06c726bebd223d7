import { type Fetch } from './call-gateway.js';
import { type LoadToken, type TokenProvider } from './token-provider.js';
export interface GatewayFetchOptions {
    /** The project's address: `https://{slug}.{domain}` or `{BASE_URL}/p/{slug}`. */
    baseUrl: string;
    /** The result of `createTokenProvider`, or the function that it takes. */
    tokenProvider: TokenProvider | LoadToken;
    /** Sent as X-Session-Id: the gateway remembers the conversation for a day. */
    sessionId?: string | null;
    /** Sent as X-Thread-Id: the gateway keeps the conversation until it is deleted. */
    threadId?: string | null;
    fetch?: Fetch;
}
export declare function createGatewayFetch(options: GatewayFetchOptions): Fetch;
