export declare function looksLikeApiKey(secret: string): boolean;
export declare function refuseInBrowser(what: string): void;
