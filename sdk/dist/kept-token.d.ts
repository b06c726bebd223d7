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
    /** A token is renewed when this share of its lifetime is left, but at most `maxMarginMs` before it expires. */
    marginShare: number;
    maxMarginMs: number;
}
export interface KeptToken<Value extends Expiring> {
    get(): Promise<Value>;
    /** Drops this token (or any, by default), so that the next `get` fetches another. Returns false if it is not kept. */
    drop(token?: string): boolean;
}
export declare function keepToken<Value extends Expiring>(rules: RenewalRules<Value>): KeptToken<Value>;
