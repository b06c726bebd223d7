// The runtime's HTTP module, without its WebSocket. An `import` of a built-in module reads everything that it exports,
// and this one loads the runtime's fetch and WebSocket when they are read: 16 MB of memory and 50 ms of processor time
// that nothing here uses.
export const { createServer, IncomingMessage, request, STATUS_CODES } = process.getBuiltinModule('node:http')
