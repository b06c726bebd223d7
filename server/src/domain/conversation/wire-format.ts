// The wire formats of prompts and answers, of clients and of providers alike, by the name under which a surface and a
// protocol find out that they speak the same.

import type { EndpointRow } from './operations.ts'

export type WireFormat = EndpointRow['wireFormat'] | 'gemini' | 'cohere' | 'bedrock'
