// The shapes that travel between a client and the gateway, field for field as they are on the wire.
// Types only: the server `import type`s them and is checked against them, so this file must need nothing.
export {};
