// ApiError: an answer that is not a success, with the status and code that the client sees.

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly httpStatus: number;
  readonly code: string;
  /** Sent with it. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;

  constructor(
    httpStatus: number,
    code: string,
    text: string,
    headers: Readonly<Record<string, string | readonly string[]>> = {},
  ) {
    super(text);
    this.httpStatus = httpStatus;
    this.code = code;
    this.headers = headers;
  }

  toDocument(): object {
    return { schema: 'faultline/error/1', code: this.code, message: this.message };
  }
}
