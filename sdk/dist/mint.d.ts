import { type Fetch } from './call-gateway.js';
import type { Role } from './wire.js';
export interface SallyportOptions {
    /** The project's address: `https://{slug}.{domain}` or `{BASE_URL}/p/{slug}`. */
    baseUrl: string;
    /** `service_sk_live_…` */
    apiKey: string;
    fetch?: Fetch;
    /** For each attempt; by default 10 seconds. */
    timeoutMs?: number;
    /** After the first attempt; by default 2. */
    maxRetries?: number;
}
export interface MintOptions {
    /** From the verified session of your own application, never from the client's input. */
    userId: string;
    role?: Role;
    /** Seconds, 60 to 86400; by default 3600. */
    ttl?: number;
    /** From your billing data, never from the client's input. */
    tier?: string;
    /** By default the gateway opens a session at the first mint; later mints with the same options continue it. */
    sessionId?: string;
    /** Mints again even if the kept token is still valid, for example after the gateway rejected it. */
    fresh?: boolean;
}
export interface MintedToken {
    token: string;
    /** How long the token is still valid, in seconds. */
    ttl: number;
    sessionId: string;
    /** ISO 8601, by this machine's clock. */
    expiresAt: string;
}
export interface Sallyport {
    mint: (options: MintOptions) => Promise<MintedToken>;
}
export declare function createSallyport(options: SallyportOptions): Sallyport;
