// The matrix of /v1/responses.
import { responsesCells } from './cells.ts'
import { responsesClient } from './client-responses.ts'
import { describeMatrix } from './matrix.ts'
import { openaiResponses } from './upstream-responses.ts'
import { chatWires } from './wires.ts'

describeMatrix({ client: responsesClient, cells: responsesCells, wires: { ...chatWires, openai: openaiResponses } })
