// The tables of late indexes: entries, and how far they are built.

export interface LateIndexTables {
  usage_records_by_project: {
    project_id: string
    request_id: string
  }
  /** How far the entries of each table are built, or another pass over its rows came: all rows up to this time. */
  late_indexes: {
    name: string
    built_through: number
  }
}
