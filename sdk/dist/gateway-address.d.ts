/** A project's address without a slash or `/v1` at its end. */
export declare function readBaseUrl(baseUrl: string): string;
