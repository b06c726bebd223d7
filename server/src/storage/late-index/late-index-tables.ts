// The tables of late indexes: entries, and how far they are built.

export interface LateIndexTables {
  usage_records_by_project: {
    project_id: string
    request_id: string
  }
  /** How far the entries of each table are built: those of all rows up to this time exist. */
  late_indexes: {
    name: string
    built_through: number
  }
}
