/**
 * `new`: it has no model yet; `busy`: it is being prepared or activated; `prepared`: it has a model; `active`: it answers, even
 * while it is being prepared again.
 */
export type ServiceStatus = 'new' | 'busy' | 'prepared' | 'active'
