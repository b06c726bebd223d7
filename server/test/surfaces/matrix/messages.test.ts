// The matrix of /v1/messages.
import { messagesCells } from './cells.ts'
import { messagesClient } from './client-messages.ts'
import { describeMatrix } from './matrix.ts'
import { chatWires } from './wires.ts'

describeMatrix({ client: messagesClient, cells: messagesCells, wires: chatWires })
