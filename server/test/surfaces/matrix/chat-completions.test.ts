// The matrix of /v1/chat/completions.
import { chatCompletionsCells } from './cells.ts'
import { chatClient } from './client-chat.ts'
import { describeMatrix } from './matrix.ts'
import { chatWires } from './wires.ts'

describeMatrix({ client: chatClient, cells: chatCompletionsCells, wires: chatWires })
