// The views by name: what a row of each is, what tells it from the others, and which command shows the same.
import type {
  BudgetRow,
  DecisionRow,
  ErrorRow,
  FleetRow,
  Need,
  SessionRow,
  Stuck,
  TraceRow,
  UsageRow,
} from './rows';
import type { CollisionRow, FileRow, GatewayRow, LoopRow, PlanRow, RunRow, WorkRow } from './rows-work';
import type { At, UsageBy } from './words';

/** The row of each view. */
export interface ViewRows {
  inbox: Need;
  stuck: Stuck;
  fleet: FleetRow;
  sessions: SessionRow;
  traces: TraceRow;
  work: WorkRow;
  plans: PlanRow;
  decisions: DecisionRow;
  loops: LoopRow;
  runs: RunRow;
  gateway: GatewayRow;
  usage: UsageRow;
  budgets: BudgetRow;
  files: FileRow;
  collisions: CollisionRow;
  errors: ErrorRow;
}

export type ViewName = keyof ViewRows;

/** What can be asked of a view; `by` is for usage alone. */
export interface ViewParams {
  limit?: number;
  by?: UsageBy;
}

/** A view at one moment: the answer of `GET /v1/views/{view}`. */
export interface ViewPage<Row> {
  view: ViewName;
  position: number;
  at: At;
  behind?: number;
  rows: Row[];
  n_more: number;
}

/** One event of `GET /v1/views/{view}/stream`. */
export interface ViewChange<Row> {
  view: ViewName;
  position: number;
  at: At;
  behind?: number;
  /** Whether `rows` are all there are, in order. */
  is_whole: boolean;
  rows: { id: string; row: Row }[];
  gone: string[];
  /** Those that are new or stand elsewhere, with their places among all, first to last. */
  moved?: { id: string; nth: number }[];
  n_more: number;
}

/** What tells a row from the others of its view: the same ids as the server's. */
export const rowId: { [View in ViewName]: (row: ViewRows[View]) => string } = {
  inbox: (row) => row.id,
  stuck: (row) => row.id,
  fleet: (row) => row.actor,
  sessions: (row) => row.session,
  traces: (row) => row.trace,
  work: (row) => row.id,
  plans: (row) => row.run,
  decisions: (row) => row.id ?? String(row.positions[0] ?? ''),
  loops: (row) => row.run,
  runs: (row) => row.run,
  gateway: gatewayId,
  usage: (row) => row.name ?? '',
  budgets: (row) =>
    [row.scope, row.actor ?? '-', row.session ?? '-', row.task ?? '-', row.day ?? '-', row.unit ?? '-']
      // Two that are set may differ in what they allow alone.
      .concat(row.unit !== undefined && row.limit !== undefined ? [String(row.limit)] : [])
      .join(' '),
  files: (row) => row.path,
  collisions: (row) => `${row.kind} ${row.what} ${row.positions[0] ?? 0}`,
  errors: (row) => `${row.kind} ${row.signature}`,
};

function gatewayId(row: GatewayRow): string {
  switch (row.part) {
    case 'component':
      return `component - ${row.component}`;
    case 'session':
      return `session ${row.tenant ?? '-'} ${row.session}`;
    case 'reply':
      return `reply ${row.tenant ?? '-'} ${row.id}`;
    case 'peer':
      return `peer - ${row.pairing}`;
    case 'job':
      return `job ${row.tenant ?? '-'} ${row.job}`;
    case 'revision':
      return `revision ${row.tenant ?? '-'} ${row.component} ${row.revision}`;
  }
}
