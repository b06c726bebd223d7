// The table of alerts on requests, a part of schema.ts.

export interface RequestAlertTables {
  request_alerts: {
    project_id: string
    name: string
    position: number
    /** What is measured, and when it begins, as JSON. */
    alert: string
    /** Epoch ms; null while it has not begun. */
    began_at: number | null
  }
}
