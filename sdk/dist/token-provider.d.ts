/** What a token endpoint answers: `mint`'s own result, or the gateway's answer to a mint as it is. */
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
    /** The gateway rejected the last token: ask for a fresh one. */
    isRejected: boolean;
}
/** A bare string is a token whose own `exp` says how long it lasts. */
export type LoadToken = (context: LoadContext) => Response | TokenAnswer | string | Promise<Response | TokenAnswer | string>;
export interface ProvidedToken {
    token: string;
    expiresAt: string;
    /** Null if the token endpoint names none. */
    sessionId: string | null;
}
export interface TokenProvider {
    (): Promise<string>;
    /** The token with its session. */
    current(): Promise<ProvidedToken>;
    /** Forgets this token: the gateway rejected it. */
    reject(token: string): void;
}
export declare function createTokenProvider(load: LoadToken): TokenProvider;
