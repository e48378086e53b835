/**
 * Event types of well-known senders. By these lists the review of a route recognises a misspelled type, and the editor offers types. The
 * gateway itself does not use them: an event may have any type.
 */

export type KnownEvents = {
  readonly names: readonly string[]
  /** `names` has all event types of the sender: the sender never sends another type. */
  readonly isWhole?: true
  /** The field of the payload that names the action, such as `opened`, where the type alone does not. */
  readonly actionField?: string
  /** The event types whose payload has no action field. */
  readonly noActions?: readonly string[]
  /**
   * Maps that are `null` in some events of a type. `when`: the events in which the map is `null`. `told`: the field that says so, with its
   * value in all others.
   */
  readonly nulls?: readonly {
    readonly event: string
    readonly key: string
    readonly when: string
    readonly told: readonly [string, boolean]
  }[]
}

const splitWords = (text: string): string[] => text.split(/\s+/)

export const githubEvents: KnownEvents = {
  isWhole: true,
  actionField: 'action',
  nulls: [{ event: 'push', key: 'head_commit', when: 'a push that deletes a branch or tag', told: ['deleted', false] }],
  noActions: splitWords('create delete fork gollum page_build ping public push status team_add workflow_dispatch'),
  names:
    splitWords(`branch_protection_configuration branch_protection_rule bypass_request_push_ruleset bypass_request_secret_scanning check_run
    check_suite code_scanning_alert commit_comment create custom_property custom_property_values delete dependabot_alert deploy_key deployment
    deployment_protection_rule deployment_review deployment_status discussion discussion_comment dismissal_request_code_scanning
    dismissal_request_dependabot dismissal_request_secret_scanning exemption_request_push_ruleset exemption_request_secret_scanning fork
    github_app_authorization gollum installation installation_repositories installation_target issue_comment issue_dependencies issues label
    marketplace_purchase member membership merge_group meta milestone org_block organization package page_build personal_access_token_request
    ping project_card project_column project projects_v2 projects_v2_item projects_v2_status_update public pull_request pull_request_review
    pull_request_review_comment pull_request_review_thread push registry_package release repository repository_dispatch repository_advisory
    repository_import repository_ruleset repository_vulnerability_alert secret_scanning_alert secret_scanning_alert_location
    secret_scanning_scan security_advisory security_and_analysis sponsorship star status sub_issues team team_add watch workflow_dispatch
    workflow_job workflow_run`),
}

const hookTitle = /^(?:Confidential )?([A-Z][A-Za-z ]{0,60}) Hook$/

/** Returns the short form of a title of GitLab: `merge_request` of `Merge Request Hook`; `undefined` where the text is no such title. */
export const shortTitle = (title: string): string | undefined => hookTitle.exec(title)?.[1]?.toLowerCase().replaceAll(' ', '_')

/** The event types of GitLab in both forms: the titles in the header `X-Gitlab-Event`, and the short forms in the payload. */
export const gitlabEvents: KnownEvents = {
  isWhole: true,
  actionField: 'object_attributes.action',
  noActions: splitWords('push tag_push pipeline build deployment release feature_flag emoji access_token deploy_token vulnerability'),
  names: [
    'Push Hook',
    'Tag Push Hook',
    'Issue Hook',
    'Confidential Issue Hook',
    'Note Hook',
    'Confidential Note Hook',
    'Merge Request Hook',
    'Wiki Page Hook',
    'Pipeline Hook',
    'Job Hook',
    'Deployment Hook',
    'Release Hook',
    'Feature Flag Hook',
    'Emoji Hook',
    'Member Hook',
    'Subgroup Hook',
    'Project Hook',
    'Milestone Hook',
    'Vulnerability Hook',
    'Resource Access Token Hook',
    'Resource Deploy Token Hook',
    'Work Item Hook',
    'System Hook',
    ...splitWords(`push tag_push issue note merge_request wiki_page pipeline build deployment release feature_flag emoji access_token
      deploy_token milestone vulnerability work_item`),
  ],
}

export const linearEvents: KnownEvents = {
  actionField: 'action',
  names: splitWords('Issue Comment IssueLabel Reaction Project ProjectUpdate Cycle Document Initiative User'),
}

/** Event types of Stripe that its preset knows but does not show (`furtherEvents`). */
export const stripeEvents: readonly string[] =
  splitWords(`account.updated charge.captured charge.dispute.created charge.failed charge.pending charge.refunded charge.succeeded
  checkout.session.completed checkout.session.expired customer.created customer.deleted customer.updated customer.subscription.created
  customer.subscription.deleted customer.subscription.paused customer.subscription.resumed customer.subscription.trial_will_end
  customer.subscription.updated invoice.created invoice.finalized invoice.paid invoice.payment_failed invoice.payment_succeeded invoice.upcoming
  payment_intent.canceled payment_intent.created payment_intent.payment_failed payment_intent.succeeded payment_method.attached payout.failed
  payout.paid setup_intent.succeeded`)

/** The event types of all senders in this file, for a route whose `verify` names no sender, or a scheme without a list of types. */
export const knownEvents: ReadonlySet<string> = new Set([
  ...githubEvents.names,
  ...gitlabEvents.names,
  ...linearEvents.names,
  ...stripeEvents,
])
