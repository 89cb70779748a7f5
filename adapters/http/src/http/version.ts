/** Version of the REST contract: on every answer, and in `Status.ApiVersion`. */
export const apiVersion = '1.5.0'
