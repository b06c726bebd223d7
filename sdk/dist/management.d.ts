import { type Fetch } from './call-gateway.js';
import type { ManagementRoutes } from './management-types.js';
export interface ManagementOptions {
    /** The product's own address (BASE_URL), not a project's. */
    baseUrl: string;
    /** A dashboard session token (`sess_…`), or a project's API key for minting. */
    token?: string;
    /** True in a page of the dashboard's origin, whose session is a cookie. */
    cookie?: boolean;
    /** The operator's secret, for the routes under /v1/admin. */
    adminSecret?: string;
    fetch?: Fetch;
    /** For each attempt; by default 30 seconds. */
    timeoutMs?: number;
    /** For requests that may be repeated: GET, and those with an Idempotency-Key. By default 2. */
    maxRetries?: number;
}
type Operation = keyof ManagementRoutes;
type Method = Operation extends `${infer M} ${string}` ? M : never;
type PathOf<M extends Method> = Extract<Operation, `${M} ${string}`> extends `${M} ${infer P}` ? P : never;
type RouteOf<M extends Method, P extends string> = ManagementRoutes[Extract<Operation, `${M} ${P}`>];
type InputOf<M extends Method, P extends string> = RouteOf<M, P>['input'];
type OutputOf<M extends Method, P extends string> = RouteOf<M, P>['output'];
export interface ManagementClient {
    /** Resolves to the response's body; throws a `SallyportError` for every error. */
    request<M extends Method, P extends PathOf<M>>(method: M, path: P, ...input: Record<never, never> extends InputOf<M, P> ? [input?: InputOf<M, P>] : [input: InputOf<M, P>]): Promise<OutputOf<M, P>>;
}
export declare function createManagementClient(options: ManagementOptions): ManagementClient;
export {};
