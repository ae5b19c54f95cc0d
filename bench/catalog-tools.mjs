// Tools as MCP servers bring them, made up for `catalog.mjs`. Descriptions and schemas are of the length people really write.
const text = (description) => ({ type: "string", description });
const number = (description) => ({ type: "integer", description });
const flag = (description) => ({ type: "boolean", description });
const one = (description, ...values) => ({ type: "string", enum: values, description });
const many = (description) => ({ type: "array", items: { type: "string" }, description });

/** Parameters whose name ends in `!` are required. */
const tool = (name, description, given) => ({
  name,
  description,
  parameters: {
    type: "object",
    properties: Object.fromEntries(Object.entries(given).map(([key, schema]) => [key.replace("!", ""), schema])),
    required: Object.keys(given)
      .filter((key) => key.endsWith("!"))
      .map((key) => key.slice(0, -1)),
    additionalProperties: false,
  },
});

const repo = { "owner!": text("Account or organisation that owns the repository"), "repo!": text("Name of the repository") };
const page = { page: number("Page of results, from 1"), per_page: number("Results on a page, at most 100") };
const cluster = { "namespace!": text("Namespace"), context: text("Which cluster of the kubeconfig; the current one when left out") };

const CODE_HOST = [
  tool("github_create_issue", "Create a new issue in a GitHub repository with a title, a body in Markdown, labels and assignees.", {
    ...repo,
    "title!": text("Title"),
    body: text("Text in Markdown"),
    labels: many("Labels to set"),
    assignees: many("Logins of the people who should work on it"),
  }),
  tool("github_list_issues", "List issues of a repository. Filter by state, labels, author or assignee.", {
    ...repo,
    state: one("Which ones", "open", "closed", "all"),
    labels: many("Only with all of these labels"),
    assignee: text("Only those of this person"),
    ...page,
  }),
  tool("github_add_issue_comment", "Add a comment to an existing issue or pull request.", {
    ...repo,
    "number!": number("Number of the issue or pull request"),
    "body!": text("Text in Markdown"),
  }),
  tool("github_create_pull_request", "Open a pull request that proposes to merge one branch into another.", {
    ...repo,
    "title!": text("Title"),
    "head!": text("Branch with the changes"),
    "base!": text("Branch to merge into"),
    body: text("Description in Markdown"),
    draft: flag("Open it as a draft"),
  }),
  tool("github_get_pull_request_diff", "Get the changed files of a pull request as a unified diff.", {
    ...repo,
    "number!": number("Number of the pull request"),
  }),
  tool("github_merge_pull_request", "Merge a pull request once its checks have passed.", {
    ...repo,
    "number!": number("Number of the pull request"),
    method: one("How", "merge", "squash", "rebase"),
  }),
  tool("github_search_code", "Search source code across all repositories of GitHub with its code search syntax.", {
    "query!": text("Search expression, for example `addClass in:file language:js`"),
    ...page,
  }),
  tool("github_list_workflow_runs", "List runs of GitHub Actions workflows with their status and conclusion.", {
    ...repo,
    branch: text("Only runs for this branch"),
    status: one("Only runs in this state", "queued", "in_progress", "completed", "failure", "success"),
    ...page,
  }),
  tool("github_rerun_workflow", "Start a finished workflow run again, either all of its jobs or the failed ones.", {
    ...repo,
    "run_id!": number("Which run"),
    failed_only: flag("Only the jobs that failed"),
  }),
  tool("github_create_release", "Publish a release for a tag, with notes and attached files.", {
    ...repo,
    "tag!": text("Tag the release is for"),
    name: text("Title of the release"),
    notes: text("Release notes in Markdown"),
    prerelease: flag("Mark it as not ready for production"),
  }),
];

const PEOPLE = [
  tool("slack_post_message", "Post a message to a Slack channel or as a reply in a thread.", {
    "channel!": text("Id or name of the channel"),
    "text!": text("What to say, in Slack's own markup"),
    thread_ts: text("Timestamp of the message to reply to"),
  }),
  tool("slack_list_channels", "List the public channels of the workspace with their topics and numbers of members.", {
    limit: number("Most channels"),
    cursor: text("Where the last list ended"),
  }),
  tool("slack_get_channel_history", "Get recent messages of a channel, newest first.", {
    "channel!": text("Id of the channel"),
    oldest: text("Only messages after this timestamp"),
    limit: number("Most messages"),
  }),
  tool("slack_add_reaction", "React to a message with an emoji.", {
    "channel!": text("Channel"),
    "timestamp!": text("Which message"),
    "name!": text("Name of the emoji without colons"),
  }),
  tool("email_send", "Send an email with optional copies and attachments from the connected mailbox.", {
    "to!": many("Recipients"),
    "subject!": text("Subject line"),
    "body!": text("Text of the mail"),
    cc: many("Who gets a copy"),
    attachments: many("Paths of files to attach"),
  }),
  tool("email_search", "Search the mailbox by sender, subject, date or words of the text.", {
    "query!": text("Search expression"),
    from: text("Sender"),
    after: text("Only mail since this date"),
    limit: number("Most results"),
  }),
  tool("email_draft_reply", "Write a draft that answers an existing email; nothing is sent.", {
    "message_id!": text("Mail to answer"),
    "body!": text("Text of the answer"),
  }),
  tool("calendar_create_event", "Create an event in the calendar and invite attendees.", {
    "title!": text("Title"),
    "start!": text("Begin, as ISO 8601"),
    "end!": text("End, as ISO 8601"),
    attendees: many("Mail addresses to invite"),
    location: text("Room or address"),
    reminder_minutes: number("When to remind before it begins"),
  }),
  tool("calendar_list_events", "List events between two dates.", {
    "from!": text("First day"),
    "to!": text("Last day"),
    calendar: text("Which calendar"),
  }),
  tool("calendar_find_free_time", "Find time slots in which all given people are free.", {
    "attendees!": many("Mail addresses"),
    "duration_minutes!": number("How long"),
    "from!": text("Earliest day"),
    "to!": text("Latest day"),
  }),
  tool("contacts_lookup", "Look up a person in the address book: phone number, mail address and company.", {
    "name!": text("Name, or part of it"),
  }),
];

const DATA = [
  tool("postgres_query", "Run a read-only SQL query against the PostgreSQL database and return the rows.", {
    "sql!": text("One SELECT statement"),
    parameters: many("Values for $1, $2 and so on"),
    limit: number("Most rows"),
  }),
  tool("postgres_list_tables", "List tables with their columns, types and keys.", { schema: text("Which schema; public when left out") }),
  tool("postgres_explain", "Show the plan the database would use for a statement, with estimated costs.", {
    "sql!": text("The statement"),
    analyze: flag("Run it and measure"),
  }),
  tool("redis_get", "Get the value stored under a key of the cache.", { "key!": text("Key") }),
  tool("redis_delete", "Remove keys from the cache.", { "keys!": many("Keys to remove") }),
  tool("s3_list_objects", "List objects of an S3 bucket below a prefix.", {
    "bucket!": text("Bucket"),
    prefix: text("Beginning of the keys"),
    limit: number("Most objects"),
  }),
  tool("s3_upload_object", "Upload a local file to an S3 bucket.", {
    "bucket!": text("Bucket"),
    "key!": text("Key of the new object"),
    "path!": text("Local file"),
    acl: one("Who may read it", "private", "public-read"),
  }),
  tool("s3_presign_url", "Make a link to an object that works for a limited time without credentials.", {
    "bucket!": text("Bucket"),
    "key!": text("Object"),
    expires_seconds: number("How long it works"),
  }),
  tool("sheets_read_range", "Read cells of a spreadsheet.", {
    "spreadsheet_id!": text("Which spreadsheet"),
    "range!": text("Cells in A1 notation"),
  }),
  tool("sheets_append_rows", "Add rows at the end of a spreadsheet's table.", {
    "spreadsheet_id!": text("Which spreadsheet"),
    "range!": text("Table in A1 notation"),
    "rows!": { type: "array", items: { type: "array", items: { type: "string" } }, description: "Rows of cells" },
  }),
];

const MACHINES = [
  tool("k8s_list_pods", "List pods of a namespace with phase, restarts and age.", {
    ...cluster,
    selector: text("Only pods with these labels"),
  }),
  tool("k8s_get_logs", "Get the logs of a container in a pod.", {
    ...cluster,
    "pod!": text("Pod"),
    container: text("Container"),
    tail: number("Last lines"),
    previous: flag("Of the instance before the last restart"),
  }),
  tool("k8s_scale_deployment", "Change the number of replicas of a deployment.", {
    ...cluster,
    "deployment!": text("Deployment"),
    "replicas!": number("How many"),
  }),
  tool("k8s_rollout_restart", "Restart all pods of a deployment one after the other.", { ...cluster, "deployment!": text("Deployment") }),
  tool("k8s_apply_manifest", "Create or update resources from a YAML manifest.", {
    ...cluster,
    "manifest!": text("YAML text"),
    dry_run: flag("Only validate"),
  }),
  tool("docker_build_image", "Build a container image from a Dockerfile.", {
    "context!": text("Folder"),
    "tag!": text("Name and tag of the image"),
    dockerfile: text("Path of the Dockerfile"),
    build_args: many("NAME=value"),
  }),
  tool("docker_list_containers", "List containers on this machine, running ones or all.", { all: flag("Stopped ones too") }),
  tool("metrics_query", "Evaluate a PromQL expression over a span of time and return the series.", {
    "expression!": text("PromQL"),
    start: text("Begin"),
    end: text("End"),
    step: text("Resolution, for example 30s"),
  }),
  tool("alerts_list_active", "List alerts that are firing now, with severity and since when.", {
    severity: one("Only of this severity", "critical", "warning", "info"),
  }),
  tool("alerts_silence", "Mute an alert for some time.", {
    "alert_id!": text("Alert"),
    "minutes!": number("How long"),
    reason: text("Why"),
  }),
  tool("oncall_who", "Tell who is on call for a team at a time.", { "team!": text("Team"), at: text("When; now if left out") }),
  tool("dns_lookup", "Resolve a host name and show its records.", {
    "hostname!": text("Host name"),
    type: one("Kind of record", "A", "AAAA", "CNAME", "MX", "TXT", "NS"),
  }),
];

const WORK = [
  tool("jira_create_ticket", "Create a Jira ticket in a project.", {
    "project!": text("Key of the project"),
    "type!": one("Kind", "Bug", "Task", "Story", "Epic"),
    "summary!": text("Summary"),
    description: text("Description"),
    priority: one("Priority", "Highest", "High", "Medium", "Low", "Lowest"),
    components: many("Components"),
  }),
  tool("jira_transition_ticket", "Move a Jira ticket to another status of its workflow.", {
    "key!": text("Key of the ticket"),
    "status!": text("New status"),
    comment: text("Why"),
  }),
  tool("jira_search", "Search Jira with JQL.", {
    "jql!": text("Expression"),
    fields: many("Fields to return"),
    limit: number("Most tickets"),
  }),
  tool("notion_create_page", "Create a page in Notion below another page or in a database.", {
    "parent_id!": text("Where"),
    "title!": text("Title"),
    "markdown!": text("Content"),
    icon: text("Emoji"),
  }),
  tool("notion_search", "Search pages and databases in Notion by title.", { "query!": text("Words"), limit: number("Most results") }),
  tool("stripe_refund_payment", "Refund a payment, in full or in part.", {
    "payment_id!": text("Payment"),
    amount: number("In cents; everything when left out"),
    reason: one("Why", "duplicate", "fraudulent", "requested_by_customer"),
  }),
  tool("stripe_list_invoices", "List invoices of a customer.", {
    "customer_id!": text("Customer"),
    status: one("Only in this state", "draft", "open", "paid", "void"),
    limit: number("Most invoices"),
  }),
  tool("stripe_create_customer", "Create a customer record with name, mail address and metadata.", {
    "email!": text("Mail address"),
    name: text("Name"),
    metadata: { type: "object", additionalProperties: { type: "string" } },
  }),
  tool("figma_export_node", "Export a layer of a Figma design as an image.", {
    "file_key!": text("File"),
    "node_id!": text("Layer"),
    format: one("Format", "png", "svg", "pdf"),
    scale: { type: "number" },
  }),
  tool("browser_open", "Open an address in a controlled browser and wait until the page has loaded.", {
    "url!": text("Address"),
    wait_for: text("CSS selector to wait for"),
  }),
  tool("browser_click", "Click an element of the page that is open.", { "selector!": text("CSS selector") }),
  tool("browser_fill_form", "Type values into the fields of a form on the open page.", {
    "fields!": { type: "object", additionalProperties: { type: "string" }, description: "Selector and value" },
    submit: flag("Send the form afterwards"),
  }),
  tool("browser_screenshot", "Take a picture of the open page or of one element.", {
    selector: text("Only this element"),
    full_page: flag("The whole page, not only what is visible"),
  }),
  tool("translate_text", "Translate text into another language.", {
    "text!": text("Text"),
    "target!": text("Language code"),
    formality: one("Tone", "formal", "informal"),
  }),
  tool("weather_forecast", "Get the weather forecast for a place.", {
    "place!": text("City or coordinates"),
    days: number("How many days"),
  }),
  tool("maps_route", "Work out a route between two places with distance and travel time.", {
    "from!": text("Start"),
    "to!": text("Destination"),
    mode: one("How", "driving", "walking", "cycling", "transit"),
  }),
  tool("image_generate", "Generate a picture from a description.", {
    "prompt!": text("What it shows"),
    size: one("Size", "512x512", "1024x1024"),
    style: text("Style"),
  }),
  tool("currency_convert", "Convert an amount of money from one currency to another at today's rate.", {
    "amount!": { type: "number" },
    "from!": text("Currency code"),
    "to!": text("Currency code"),
  }),
  tool("timezone_convert", "Convert a time from one time zone to another.", {
    "time!": text("Time"),
    "from!": text("Zone"),
    "to!": text("Zone"),
  }),
];

export const OTHERS = [...CODE_HOST, ...PEOPLE, ...DATA, ...MACHINES, ...WORK];
