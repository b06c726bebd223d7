export type Role = 'user' | 'dashboard-service' | 'admin';
/** Body of `POST {project address}/v1/auth/mint`. */
export interface MintRequest {
    user_id: string;
    role?: Role;
    /** Seconds, 60 to 86400. */
    ttl?: number;
    tier?: string;
    session_id?: string;
}
export interface MintResponse {
    access_token: string;
    token_type: 'Bearer';
    project_id: string;
    /** Seconds. */
    expires_in: number;
    session_id: string;
}
/** Body of every error response of the mint and of the management API. */
export interface ErrorResponse {
    error: string;
    code?: string;
    retryable?: boolean;
    upgrade_url?: string;
}
