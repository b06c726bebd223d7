// The official clients in Chromium, on pages of another origin than the product's.
import { describeAnswers } from './browser-answers.ts'
import { describeClients } from './browser-clients.ts'
import { describeSdk } from './browser-sdk.ts'
import { useBrowser } from './browser-stage.ts'

const getStage = useBrowser('chromium')

describeClients(getStage)
describeAnswers(getStage)
describeSdk(getStage)
