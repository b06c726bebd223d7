/** The body of a token endpoint: the result of `mint`, or the gateway's response to a mint. */
export interface TokenAnswer {
    token?: string;
    /** Seconds. Preferred to `expiresAt`, since the clocks of devices are often wrong. */
    ttl?: number;
    /** ISO 8601, or milliseconds since 1970. */
    expiresAt?: string | number | Date;
    sessionId?: string;
    access_token?: string;
    expires_in?: number;
    session_id?: string;
}
export interface LoadContext {
    /** The gateway rejected the last token: mint a fresh one. */
    isRejected: boolean;
}
/** A string is a token; it is valid until its `exp` claim. */
export type LoadToken = (context: LoadContext) => Response | TokenAnswer | string | Promise<Response | TokenAnswer | string>;
export interface ProvidedToken {
    token: string;
    expiresAt: string;
    /** Null if the token endpoint returns none. */
    sessionId: string | null;
}
export interface TokenProvider {
    (): Promise<string>;
    /** The token with its session. */
    current(): Promise<ProvidedToken>;
    /** Call this when the gateway has rejected the token, so that the next call fetches another. */
    reject(token: string): void;
}
export declare function createTokenProvider(load: LoadToken): TokenProvider;
