// The types of requests and responses between a client and the gateway, with the fields of the wire.
// The server `import type`s them, so this file must contain types only and import nothing.
export {};
