/**
 * `new`: nothing was made yet; `busy`: being prepared or activated; `prepared`: there is a model; `active`: it answers,
 * also while it is being prepared again.
 */
export type ServiceStatus = 'new' | 'busy' | 'prepared' | 'active'
