/** Narrower than the global one, whose type some runtimes extend. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
export interface CallPolicy {
    fetch: Fetch;
    /** For each attempt. */
    timeoutMs: number;
    maxRetries: number;
}
/** Looked up at each call, so that a replaced global is used. */
export declare const globalFetch: Fetch;
/** Resolves to the parsed JSON, to text, to a stream for any other type, or to undefined without a body. */
export declare function callGateway(url: string, init: RequestInit, policy: CallPolicy): Promise<unknown>;
