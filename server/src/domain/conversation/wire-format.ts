// The wire formats of prompts and answers, of clients and of providers alike, by the name under which a surface and a
// protocol find out that they speak the same.

export type WireFormat = 'chat-completions' | 'messages' | 'responses' | 'embeddings' | 'gemini' | 'cohere' | 'bedrock'
