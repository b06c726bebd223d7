interface Details {
    status: number;
    code?: string | null;
    retryable?: boolean;
    retryAfterSeconds?: number | null;
    requestId?: string | null;
    cause?: unknown;
}
export declare class SallyportError extends Error {
    /** The HTTP status; 0 if no response arrived. */
    readonly status: number;
    /** The gateway's machine-readable code, or `TIMEOUT`, `UNREACHABLE` or `INVALID_RESPONSE`; null if there is none. */
    readonly code: string | null;
    /** Whether the same request may succeed later. */
    readonly retryable: boolean;
    /** How long to wait before a retry, if the gateway says so. */
    readonly retryAfterSeconds: number | null;
    /** Identifies the request in the gateway's log. */
    readonly requestId: string | null;
    constructor(message: string, details: Details);
}
/** The fields that are read from all three shapes of error bodies. */
export interface ErrorWords {
    message: string | null;
    code: string | null;
    retryable: boolean | null;
}
/**
 * Reads `{error, code?, retryable?}` of the management API, `{error, message}` of the gateway and
 * `{error: {message, code}}` of OpenAI's format.
 */
export declare function readErrorWords(body: unknown): ErrorWords;
/** `sender` names the responding server. The body may be something else than JSON, for example from a proxy. */
export declare function errorFromResponse(response: Response, text: string, sender?: string): SallyportError;
/** `fetch` throws the same error for a refused connection, a failed DNS lookup and a broken response. */
export declare function errorFromFailure(cause: unknown, target?: string): SallyportError;
export declare function readRetryAfter(header: string | null): number | null;
/** Undefined for text that is not JSON. */
export declare function parseJson(text: string): unknown;
export declare function toRecord(value: unknown): Record<string, unknown>;
export {};
