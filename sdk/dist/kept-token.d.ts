export interface Expiring {
    token: string;
    /** By this machine's clock. */
    expiresAtMs: number;
}
export interface RenewalRules<Value extends Expiring> {
    /** `isUrgent`: there is no usable token left, so waiting for a retry is better than failing. */
    load: (context: {
        isUrgent: boolean;
    }) => Promise<Value>;
    /** A token is renewed once this share of its life is left, */
    marginShare: number;
    /** or this time, whichever is shorter. */
    maxMarginMs: number;
}
export interface KeptToken<Value extends Expiring> {
    get(): Promise<Value>;
    /** Forgets this token, or any, so that the next `get` fetches another; false if it is not kept. */
    drop(token?: string): boolean;
}
export declare function keepToken<Value extends Expiring>(rules: RenewalRules<Value>): KeptToken<Value>;
