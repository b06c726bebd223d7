// The official clients in Firefox, on pages of another origin than the product's.
import { describeAnswers } from './answers.ts'
import { useBrowser } from './browser-stage.ts'
import { describeClients } from './clients.ts'
import { describeSdk } from './sdk.ts'

const getStage = useBrowser('firefox')

describeClients(getStage)
describeAnswers(getStage)
describeSdk(getStage)
