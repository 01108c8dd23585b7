/** A request that gets no review but a status, since there is nobody to put a review to. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  readonly status: number;
  /** One word for metrics. */
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    { reason, headers = {} }: { reason: string; headers?: Readonly<Record<string, string>> },
  ) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.headers = headers;
  }
}
