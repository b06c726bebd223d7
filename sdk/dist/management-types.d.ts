export interface ManagementRoutes {
    /** Revoke an API key permanently */
    'DELETE /auth/v1/api-keys/{keyId}': {
        input: {
            path: {
                keyId: string;
            };
        };
        output: {
            message: string;
        };
    };
    /** Delete a suspended project permanently, with all its data */
    'DELETE /auth/v1/projects/{projectId}': {
        input: {
            path: {
                projectId: string;
            };
            body: {
                confirm: string;
            };
        };
        output: undefined;
    };
    /** Remove the external identity provider; only minted tokens are accepted */
    'DELETE /auth/v1/projects/{projectId}/identity-provider': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: undefined;
    };
    /** Reset the model to the platform default; live at once */
    'DELETE /auth/v1/projects/{projectId}/settings/model': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: undefined;
    };
    /** Discard the draft model */
    'DELETE /auth/v1/projects/{projectId}/settings/model/draft': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: undefined;
    };
    /** Delete a tier; live tokens keep it until a day after the next deploy */
    'DELETE /auth/v1/projects/{projectId}/tiers/{tierId}': {
        input: {
            path: {
                projectId: string;
                tierId: string;
            };
        };
        output: undefined;
    };
    /** Erase an end user's threads, sessions, responses and identity in the usage; restrictions stay in force */
    'DELETE /auth/v1/projects/{projectId}/users/{uid}': {
        input: {
            path: {
                projectId: string;
                uid: string;
            };
        };
        output: {
            uid: string;
            requested_at: string;
        };
    };
    /** Unblock an end user */
    'DELETE /auth/v1/projects/{projectId}/users/{uid}/block': {
        input: {
            path: {
                projectId: string;
                uid: string;
            };
        };
        output: undefined;
    };
    /** Sign out; the token becomes invalid at once */
    'DELETE /auth/v1/sessions/current': {
        input: Record<never, never>;
        output: undefined;
    };
    /** Delete a tenant without active projects permanently, with all its data */
    'DELETE /auth/v1/tenants/{tenantId}': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                confirm: string;
            };
        };
        output: undefined;
    };
    /** Withdraw an open invitation; its link stops working at once */
    'DELETE /auth/v1/tenants/{tenantId}/invitations/{invitationId}': {
        input: {
            path: {
                tenantId: string;
                invitationId: string;
            };
        };
        output: undefined;
    };
    /** Remove a member, leave the tenant, or withdraw the invitation with this id; the last owner cannot be removed */
    'DELETE /auth/v1/tenants/{tenantId}/members/{userId}': {
        input: {
            path: {
                tenantId: string;
                userId: string;
            };
        };
        output: undefined;
    };
    /** Delete the prices of a model, which then costs what the registry or its provider says */
    'DELETE /auth/v1/tenants/{tenantId}/prices': {
        input: {
            path: {
                tenantId: string;
            };
            query?: {
                model?: string;
                effective_from?: string;
            };
        };
        output: undefined;
    };
    /** Delete the configuration of Azure OpenAI; its models disappear at once */
    'DELETE /auth/v1/tenants/{tenantId}/providers/azure': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: undefined;
    };
    /** Delete the configuration of Amazon Bedrock; its models disappear at once */
    'DELETE /auth/v1/tenants/{tenantId}/providers/bedrock': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: undefined;
    };
    /** Delete a custom provider; its models disappear at once */
    'DELETE /auth/v1/tenants/{tenantId}/providers/custom/{slug}': {
        input: {
            path: {
                tenantId: string;
                slug: string;
            };
        };
        output: undefined;
    };
    /** Delete the configuration of Vertex AI; its models disappear at once */
    'DELETE /auth/v1/tenants/{tenantId}/providers/vertex': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: undefined;
    };
    /** Delete a provider key; it stops working at once */
    'DELETE /auth/v1/tenants/{tenantId}/providers/{providerType}': {
        input: {
            path: {
                tenantId: string;
                providerType: string;
            };
        };
        output: undefined;
    };
    /** Delete a webhook and its deliveries, pending ones included */
    'DELETE /auth/v1/tenants/{tenantId}/webhooks/{webhookId}': {
        input: {
            path: {
                tenantId: string;
                webhookId: string;
            };
        };
        output: undefined;
    };
    /** End all other sessions of the signed-in user */
    'DELETE /auth/v1/users/current/sessions': {
        input: Record<never, never>;
        output: undefined;
    };
    /** End one session of the signed-in user */
    'DELETE /auth/v1/users/current/sessions/{sessionId}': {
        input: {
            path: {
                sessionId: string;
            };
        };
        output: undefined;
    };
    /** Get the key set (JWKS) that verifies minted tokens */
    'GET /.well-known/jwks.json': {
        input: Record<never, never>;
        output: {
            keys: Array<{
                kty: 'RSA';
                n: string;
                e: string;
                kid: string;
                use: 'sig';
                alg: 'RS256';
            }>;
        };
    };
    /** List the provider catalog */
    'GET /auth/v1/admin/providers': {
        input: Record<never, never>;
        output: {
            providers: Array<{
                id: string;
                name: string;
                slug: string;
                display_name: string;
                is_active: boolean;
                model_count: number;
                created_at: string;
                updated_at: string;
            }>;
        };
    };
    /** Get this OpenAPI document */
    'GET /auth/v1/openapi.json': {
        input: Record<never, never>;
        output: Record<string, unknown>;
    };
    /** Get a project */
    'GET /auth/v1/projects/{projectId}': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            id: string;
            tenant_id: string;
            name: string;
            slug: string;
            status: 'active' | 'suspended';
            dns_status: 'PENDING' | 'READY' | 'FAILED';
            created_at: string;
            fqdn_dev: string;
            fqdn_prod: string;
        };
    };
    /** Get requests, errors, refusals, latency and tokens of the last hour, by minute */
    'GET /auth/v1/projects/{projectId}/activity': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            totals: {
                requests: number;
                errors: Record<string, number>;
                refusals: Record<string, number>;
                tokens: number;
                latency_ms: {
                    p50: number;
                    p95: number;
                } | null;
            };
            minutes: Array<{
                starts_at: string;
                requests: number;
                errors: Record<string, number>;
                refusals: Record<string, number>;
                tokens: number;
                latency_ms: {
                    p50: number;
                    p95: number;
                } | null;
            }>;
        };
    };
    /** List the active API keys of a project */
    'GET /auth/v1/projects/{projectId}/api-keys': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: Array<{
            id: string;
            name: string | null;
            role: string;
            prefix: string;
            createdAt: string;
        }>;
    };
    /** Get the deployed budgets of a project, and what all its end users have spent */
    'GET /auth/v1/projects/{projectId}/budgets': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            budgets: Array<{
                usd: number;
                period: 'day' | 'month';
            }>;
            spent_usd: {
                day: number;
                month: number;
            };
            period_ends: {
                day: string;
                month: string;
            };
        };
    };
    /** List rejected origins and tokens of the last 24 hours, latest first */
    'GET /auth/v1/projects/{projectId}/diagnostics': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            data: Array<{
                kind: 'origin_rejected' | 'token_issuer_rejected' | 'token_audience_rejected' | 'token_key_rejected' | 'unknown_host';
                detail: string;
                count: number;
                last_seen_at: string;
            }>;
        };
    };
    /** Count what the guardrails did, or in shadow mode would have done, in the last days */
    'GET /auth/v1/projects/{projectId}/guardrails/report': {
        input: {
            path: {
                projectId: string;
            };
            query?: {
                from?: string;
                to?: string;
            };
        };
        output: {
            from: string;
            to: string;
            requests: number;
            would_block: number;
            would_mask: number;
            by_type: Record<string, number>;
            by_family: Record<string, number>;
            users_touched: number;
            by_day: Array<{
                day: string;
                requests: number;
                would_block: number;
                would_mask: number;
            }>;
        };
    };
    /** Get the external identity provider of a project */
    'GET /auth/v1/projects/{projectId}/identity-provider': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            project_id: string;
            issuer: string;
            jwks_url: string;
            audience: string;
            user_id_claim: string;
            tier_claim: string | null;
            last_synced_at: string | null;
            last_error: string | null;
            created_at: string;
            updated_at: string;
        };
    };
    /** Get the memory settings of the draft */
    'GET /auth/v1/projects/{projectId}/memory': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            project_id: string;
            memory_enabled: boolean;
            memory_window: number;
            retention_days: number | null;
            system_prompt: string | null;
            store_tool_calls: boolean;
        };
    };
    /** Get the status of the host names of a project */
    'GET /auth/v1/projects/{projectId}/provisioning': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            dns_status: 'PENDING' | 'READY' | 'FAILED';
            dns_last_error: string | null;
            fqdn_dev: string;
            fqdn_prod: string;
            slug: string;
            dns_updated_at: string | null;
        };
    };
    /** Get the settings draft */
    'GET /auth/v1/projects/{projectId}/settings': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            system_prompt: string | null;
            memory_window: number;
            cors_origins: Array<string>;
            cors_allow_credentials: boolean;
            rpm_limit: number;
            tokens_per_day: number;
            pii_mode: 'disabled' | 'shadow' | 'enforce';
            pii_entities: {
                EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
            };
            custom_entities: Array<{
                name: string;
                patterns?: Array<string>;
                words?: Array<string>;
                context?: Array<string>;
                checksum?: 'luhn' | 'mod97';
            }>;
            sentinel_mode: 'disabled' | 'shadow' | 'enforce';
            sentinel_blocklist: Array<string>;
            sentinel_sources: 'user' | 'user_and_tools';
            memory_enabled: boolean;
            retention_days: number | null;
            store_tool_calls: boolean;
            provider_model: string | null;
            allowed_models: Array<string> | null;
            routes: {
                targets: Array<{
                    model: string;
                    weight?: number;
                    timeout_ms?: number;
                }>;
                strategy: 'fallback' | 'weighted';
                retry?: {
                    attempts: number;
                    on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                };
                first_token_timeout_ms?: number;
            } | null;
            max_output_tokens: number | null;
            user_rpm_limit: number | null;
            user_tokens_per_day: number | null;
            client_system_messages: 'allow' | 'drop' | 'reject';
            client_tools: 'allow' | 'reject';
            client_fields: 'all' | 'known';
            pii_answer_mode: 'disabled' | 'shadow' | 'enforce';
            answer_blocklist: Array<string>;
            budgets: Array<{
                usd: number;
                period: 'day' | 'month';
            }> | null;
            recogniser_url: string | null;
            cache: {
                ttl_seconds: number;
                scope?: 'user' | 'project';
            } | null;
            id: string;
            project_id: string;
            draft_provider_model: string | null;
            draft_saved_at: string | null;
            deployed_at: string | null;
            created_at: string;
            updated_at: string;
        };
    };
    /** List what a deploy of the draft, or a rollback, would change */
    'GET /auth/v1/projects/{projectId}/settings/changes': {
        input: {
            path: {
                projectId: string;
            };
            query?: {
                deployment?: string;
            };
        };
        output: Array<{
            field: string;
            from: unknown;
            to: unknown;
        }>;
    };
    /** List the deployed snapshots, newest first */
    'GET /auth/v1/projects/{projectId}/settings/deployments': {
        input: {
            path: {
                projectId: string;
            };
            query?: {
                limit?: number;
                cursor?: string;
            };
        };
        output: {
            data: Array<{
                number: number;
                deployed_at: string;
                deployed_by: string;
                changes: Array<{
                    field: string;
                    from: unknown;
                    to: unknown;
                }>;
            }>;
            next_cursor: string | null;
        };
    };
    /** List the tiers with their resolved settings */
    'GET /auth/v1/projects/{projectId}/tiers': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: Array<{
            id: string;
            project_id: string;
            name: string;
            sort_order: number;
            overrides: {
                system_prompt?: string | null;
                memory_window?: number;
                rpm_limit?: number;
                tokens_per_day?: number;
                pii_mode?: 'disabled' | 'shadow' | 'enforce';
                pii_entities?: {
                    EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                    LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                    DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                    IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                    [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
                };
                custom_entities?: Array<{
                    name: string;
                    patterns?: Array<string>;
                    words?: Array<string>;
                    context?: Array<string>;
                    checksum?: 'luhn' | 'mod97';
                }>;
                sentinel_mode?: 'disabled' | 'shadow' | 'enforce';
                sentinel_blocklist?: Array<string>;
                sentinel_sources?: 'user' | 'user_and_tools';
                memory_enabled?: boolean;
                retention_days?: number | null;
                store_tool_calls?: boolean;
                provider_model?: string | null;
                allowed_models?: Array<string> | null;
                routes?: {
                    targets: Array<{
                        model: string;
                        weight?: number;
                        timeout_ms?: number;
                    }>;
                    strategy: 'fallback' | 'weighted';
                    retry?: {
                        attempts: number;
                        on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                    };
                    first_token_timeout_ms?: number;
                } | null;
                max_output_tokens?: number | null;
                user_rpm_limit?: number | null;
                user_tokens_per_day?: number | null;
                client_system_messages?: 'allow' | 'drop' | 'reject';
                client_tools?: 'allow' | 'reject';
                client_fields?: 'all' | 'known';
                pii_answer_mode?: 'disabled' | 'shadow' | 'enforce';
                answer_blocklist?: Array<string>;
                budgets?: Array<{
                    usd: number;
                    period: 'day' | 'month';
                }> | null;
                recogniser_url?: string | null;
                cache?: {
                    ttl_seconds: number;
                    scope?: 'user' | 'project';
                } | null;
            };
            created_at: string;
            updated_at: string;
            resolved: {
                system_prompt: string | null;
                memory_window: number;
                cors_origins: Array<string>;
                cors_allow_credentials: boolean;
                rpm_limit: number;
                tokens_per_day: number;
                pii_mode: 'disabled' | 'shadow' | 'enforce';
                pii_entities: {
                    EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                    LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                    DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                    IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                    [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
                };
                custom_entities: Array<{
                    name: string;
                    patterns?: Array<string>;
                    words?: Array<string>;
                    context?: Array<string>;
                    checksum?: 'luhn' | 'mod97';
                }>;
                sentinel_mode: 'disabled' | 'shadow' | 'enforce';
                sentinel_blocklist: Array<string>;
                sentinel_sources: 'user' | 'user_and_tools';
                memory_enabled: boolean;
                retention_days: number | null;
                store_tool_calls: boolean;
                provider_model: string | null;
                allowed_models: Array<string> | null;
                routes: {
                    targets: Array<{
                        model: string;
                        weight?: number;
                        timeout_ms?: number;
                    }>;
                    strategy: 'fallback' | 'weighted';
                    retry?: {
                        attempts: number;
                        on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                    };
                    first_token_timeout_ms?: number;
                } | null;
                max_output_tokens: number | null;
                user_rpm_limit: number | null;
                user_tokens_per_day: number | null;
                client_system_messages: 'allow' | 'drop' | 'reject';
                client_tools: 'allow' | 'reject';
                client_fields: 'all' | 'known';
                pii_answer_mode: 'disabled' | 'shadow' | 'enforce';
                answer_blocklist: Array<string>;
                budgets: Array<{
                    usd: number;
                    period: 'day' | 'month';
                }> | null;
                recogniser_url: string | null;
                cache: {
                    ttl_seconds: number;
                    scope?: 'user' | 'project';
                } | null;
            };
        }>;
    };
    /** Get the resolved settings of one tier */
    'GET /auth/v1/projects/{projectId}/tiers/{tierId}/resolved': {
        input: {
            path: {
                projectId: string;
                tierId: string;
            };
        };
        output: {
            system_prompt: string | null;
            memory_window: number;
            cors_origins: Array<string>;
            cors_allow_credentials: boolean;
            rpm_limit: number;
            tokens_per_day: number;
            pii_mode: 'disabled' | 'shadow' | 'enforce';
            pii_entities: {
                EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
            };
            custom_entities: Array<{
                name: string;
                patterns?: Array<string>;
                words?: Array<string>;
                context?: Array<string>;
                checksum?: 'luhn' | 'mod97';
            }>;
            sentinel_mode: 'disabled' | 'shadow' | 'enforce';
            sentinel_blocklist: Array<string>;
            sentinel_sources: 'user' | 'user_and_tools';
            memory_enabled: boolean;
            retention_days: number | null;
            store_tool_calls: boolean;
            provider_model: string | null;
            allowed_models: Array<string> | null;
            routes: {
                targets: Array<{
                    model: string;
                    weight?: number;
                    timeout_ms?: number;
                }>;
                strategy: 'fallback' | 'weighted';
                retry?: {
                    attempts: number;
                    on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                };
                first_token_timeout_ms?: number;
            } | null;
            max_output_tokens: number | null;
            user_rpm_limit: number | null;
            user_tokens_per_day: number | null;
            client_system_messages: 'allow' | 'drop' | 'reject';
            client_tools: 'allow' | 'reject';
            client_fields: 'all' | 'known';
            pii_answer_mode: 'disabled' | 'shadow' | 'enforce';
            answer_blocklist: Array<string>;
            budgets: Array<{
                usd: number;
                period: 'day' | 'month';
            }> | null;
            recogniser_url: string | null;
            cache: {
                ttl_seconds: number;
                scope?: 'user' | 'project';
            } | null;
        };
    };
    /** Get the usage of a project; totals cover all rows of the filter */
    'GET /auth/v1/projects/{projectId}/usage': {
        input: {
            path: {
                projectId: string;
            };
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                uid?: string;
                group_by?: 'day' | 'model' | 'uid' | 'endpoint';
            };
        };
        output: {
            data: Array<{
                uid: string | null;
                day: string | null;
                model: string | null;
                endpoint: 'chat_completions' | 'responses' | 'messages' | 'count_tokens' | 'embeddings' | null;
                requests: number;
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                cost_usd: number;
            }>;
            totals: {
                requests: number;
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                cost_usd: number;
            };
            next_cursor: string | null;
        };
    };
    /** Export the usage of a project by day, end user, model and endpoint, oldest first */
    'GET /auth/v1/projects/{projectId}/usage/export': {
        input: {
            path: {
                projectId: string;
            };
            query?: {
                format?: 'csv' | 'ndjson';
                from?: string;
                to?: string;
            };
        };
        output: ReadableStream<Uint8Array>;
    };
    /** List the usage of a project by day and model, oldest first; closed days never change */
    'GET /auth/v1/projects/{projectId}/usage/rollups': {
        input: {
            path: {
                projectId: string;
            };
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
            };
        };
        output: {
            data: Array<{
                day: string;
                model: string;
                requests: number;
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                cost_usd: number;
                closed_at: string | null;
            }>;
            next_cursor: string | null;
        };
    };
    /** Get the usage of a project by tier; null for end users without one */
    'GET /auth/v1/projects/{projectId}/usage/tiers': {
        input: {
            path: {
                projectId: string;
            };
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
            };
        };
        output: {
            data: Array<{
                tier: string | null;
                requests: number;
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                cost_usd: number;
            }>;
            next_cursor: string | null;
        };
    };
    /** List the end users of a project by uid, with their restrictions and their usage of the day (UTC) */
    'GET /auth/v1/projects/{projectId}/users': {
        input: {
            path: {
                projectId: string;
            };
            query?: {
                limit?: number;
                cursor?: string;
                q?: string;
            };
        };
        output: {
            data: Array<{
                uid: string;
                first_seen_at: string | null;
                last_seen_at: string | null;
                requests_today: number;
                tokens_today: number;
                blocked_at: string | null;
                block_reason: string | null;
                tokens_revoked_at: string | null;
            }>;
            next_cursor: string | null;
        };
    };
    /** Get an end user; one who was never seen has no times and no usage */
    'GET /auth/v1/projects/{projectId}/users/{uid}': {
        input: {
            path: {
                projectId: string;
                uid: string;
            };
        };
        output: {
            uid: string;
            first_seen_at: string | null;
            last_seen_at: string | null;
            requests_today: number;
            tokens_today: number;
            blocked_at: string | null;
            block_reason: string | null;
            tokens_revoked_at: string | null;
        };
    };
    /** Get how much an end user may spend, beside the project's and the tier's budgets, and has spent */
    'GET /auth/v1/projects/{projectId}/users/{uid}/budgets': {
        input: {
            path: {
                projectId: string;
                uid: string;
            };
        };
        output: {
            budgets: Array<{
                usd: number;
                period: 'day' | 'month';
            }>;
            spent_usd: {
                day: number;
                month: number;
            };
            period_ends: {
                day: string;
                month: string;
            };
        };
    };
    /** Get the signed-in user */
    'GET /auth/v1/sessions/current': {
        input: Record<never, never>;
        output: {
            id: string;
            email: string;
            tenants: Array<{
                id: string;
                name: string;
                plan: string;
                role: string;
            }>;
        };
    };
    /** List the caller's tenants */
    'GET /auth/v1/tenants': {
        input: Record<never, never>;
        output: Array<{
            id: string;
            name: string;
            plan: 'free' | 'pro';
            created_at: string;
            role: 'owner' | 'member' | 'viewer';
        }>;
    };
    /** Get a tenant */
    'GET /auth/v1/tenants/{tenantId}': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: {
            id: string;
            name: string;
            plan: 'free' | 'pro';
            created_at: string;
        };
    };
    /** Get how much a tenant may spend in a day and a month, all projects together, and what it has spent */
    'GET /auth/v1/tenants/{tenantId}/budgets': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: {
            budgets: Array<{
                usd: number;
                period: 'day' | 'month';
            }>;
            spent_usd: {
                day: number;
                month: number;
            };
            period_ends: {
                day: string;
                month: string;
            };
        };
    };
    /** List the events of a tenant in the last 30 days, newest first, those of the guardrails included */
    'GET /auth/v1/tenants/{tenantId}/events': {
        input: {
            path: {
                tenantId: string;
            };
            query?: {
                limit?: number;
                cursor?: string;
                type?: 'project_created' | 'project_suspended' | 'project_reactivated' | 'project_deleted' | 'settings_deployed' | 'api_key_created' | 'api_key_rotated' | 'api_key_revoked' | 'price_set' | 'price_deleted' | 'budget_alert' | 'member_joined' | 'member_removed' | 'pii_block' | 'pii_detection' | 'sentinel_jailbreak' | 'sentinel_blocklist';
            };
        };
        output: {
            data: Array<{
                id: string;
                type: 'project_created' | 'project_suspended' | 'project_reactivated' | 'project_deleted' | 'settings_deployed' | 'api_key_created' | 'api_key_rotated' | 'api_key_revoked' | 'price_set' | 'price_deleted' | 'budget_alert' | 'member_joined' | 'member_removed' | 'pii_block' | 'pii_detection' | 'sentinel_jailbreak' | 'sentinel_blocklist';
                project_id: string | null;
                data: Record<string, string | number | Array<string>>;
                created_at: string;
            }>;
            next_cursor: string | null;
        };
    };
    /** Export all data of a tenant except secrets, one JSON document {type, data} a line */
    'GET /auth/v1/tenants/{tenantId}/export': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: ReadableStream<Uint8Array>;
    };
    /** List the open invitations of a tenant, without their links */
    'GET /auth/v1/tenants/{tenantId}/invitations': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: Array<{
            id: string;
            email: string;
            role: 'owner' | 'member' | 'viewer';
            created_at: string;
            expires_at: string;
        }>;
    };
    /** List the members of a tenant */
    'GET /auth/v1/tenants/{tenantId}/members': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: Array<{
            id: string;
            email: string;
            role: 'owner' | 'member' | 'viewer';
        }>;
    };
    /** List the prices that the tenant has set */
    'GET /auth/v1/tenants/{tenantId}/prices': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: {
            data: Array<{
                model: string;
                input: number | null;
                cached_input: number | null;
                cache_write: number | null;
                output: number | null;
                reasoning: number | null;
                effective_from: string | null;
            }>;
        };
    };
    /** List the projects of a tenant */
    'GET /auth/v1/tenants/{tenantId}/projects': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: Array<{
            id: string;
            tenant_id: string;
            name: string;
            slug: string;
            status: 'active' | 'suspended';
            dns_status: 'PENDING' | 'READY' | 'FAILED';
            created_at: string;
        }>;
    };
    /** List the tenant's provider keys; with fields=types only the configured providers, as the gateway knows them */
    'GET /auth/v1/tenants/{tenantId}/providers': {
        input: {
            path: {
                tenantId: string;
            };
            query?: {
                fields?: 'types';
            };
        };
        output: {
            providers: Array<{
                provider_type: string;
                key_last4: string;
                key_set_at: string;
                projects_using_count: number;
            }>;
        } | {
            provider_types: Array<string>;
        };
    };
    /** Get the configuration of Azure OpenAI, without its secrets */
    'GET /auth/v1/tenants/{tenantId}/providers/azure': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: {
            configured: true;
            provider_type: string;
            key_last4: string;
            key_set_at: string;
            base_url_override: string | null;
            configuration: Record<string, string>;
            models: Array<{
                id: string;
                model_id: string;
                display_name: string | null;
                context_window: number | null;
                max_output_tokens: number | null;
                capabilities: {
                    streaming: boolean | null;
                    tools: boolean | null;
                    vision: boolean | null;
                    reasoning: boolean | null;
                    structured_output: boolean | null;
                    temperature: boolean | null;
                    surfaces: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                };
                prices: {
                    input: number | null;
                    cached_input: number | null;
                    cache_write: number | null;
                    output: number | null;
                    reasoning: number | null;
                    effective_from: string | null;
                } | null;
            }>;
            projects_using_count: number;
        };
    };
    /** Get the configuration of Amazon Bedrock, without its secrets */
    'GET /auth/v1/tenants/{tenantId}/providers/bedrock': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: {
            configured: true;
            provider_type: string;
            key_last4: string;
            key_set_at: string;
            base_url_override: string | null;
            configuration: Record<string, string>;
            models: Array<{
                id: string;
                model_id: string;
                display_name: string | null;
                context_window: number | null;
                max_output_tokens: number | null;
                capabilities: {
                    streaming: boolean | null;
                    tools: boolean | null;
                    vision: boolean | null;
                    reasoning: boolean | null;
                    structured_output: boolean | null;
                    temperature: boolean | null;
                    surfaces: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                };
                prices: {
                    input: number | null;
                    cached_input: number | null;
                    cache_write: number | null;
                    output: number | null;
                    reasoning: number | null;
                    effective_from: string | null;
                } | null;
            }>;
            projects_using_count: number;
        };
    };
    /** List the tenant's custom providers, and suggestions for new ones */
    'GET /auth/v1/tenants/{tenantId}/providers/custom': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: {
            data: Array<{
                slug: string;
                provider_type: string;
                display_name: string;
                base_url: string;
                api_key_hint: string | null;
                headers: Record<string, string>;
                models_discovered: boolean;
                models: Array<{
                    id: string;
                    model_id: string;
                    display_name: string | null;
                    context_window: number | null;
                    max_output_tokens: number | null;
                    capabilities: {
                        streaming: boolean | null;
                        tools: boolean | null;
                        vision: boolean | null;
                        reasoning: boolean | null;
                        structured_output: boolean | null;
                        temperature: boolean | null;
                        surfaces: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                    };
                    prices: {
                        input: number | null;
                        cached_input: number | null;
                        cache_write: number | null;
                        output: number | null;
                        reasoning: number | null;
                        effective_from: string | null;
                    } | null;
                }>;
                projects_using_count: number;
                updated_at: string;
            }>;
            presets: Array<{
                slug: string;
                display_name: string;
                base_url: string;
                needs_key: boolean;
            }>;
        };
    };
    /** Get a custom provider */
    'GET /auth/v1/tenants/{tenantId}/providers/custom/{slug}': {
        input: {
            path: {
                tenantId: string;
                slug: string;
            };
        };
        output: {
            slug: string;
            provider_type: string;
            display_name: string;
            base_url: string;
            api_key_hint: string | null;
            headers: Record<string, string>;
            models_discovered: boolean;
            models: Array<{
                id: string;
                model_id: string;
                display_name: string | null;
                context_window: number | null;
                max_output_tokens: number | null;
                capabilities: {
                    streaming: boolean | null;
                    tools: boolean | null;
                    vision: boolean | null;
                    reasoning: boolean | null;
                    structured_output: boolean | null;
                    temperature: boolean | null;
                    surfaces: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                };
                prices: {
                    input: number | null;
                    cached_input: number | null;
                    cache_write: number | null;
                    output: number | null;
                    reasoning: number | null;
                    effective_from: string | null;
                } | null;
            }>;
            projects_using_count: number;
            updated_at: string;
        };
    };
    /** List the models that the tenant may use */
    'GET /auth/v1/tenants/{tenantId}/providers/models': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: {
            models: Array<{
                modelId: string;
                displayName: string;
                providerSlug: string;
                providerDisplayName: string;
                capabilities: Record<string, unknown>;
                contextWindow: number | null;
                maxOutputTokens: number | null;
                supportsStreaming: boolean | null;
                supportsToolUse: boolean | null;
                supportsVision: boolean | null;
                prices: {
                    input: number | null;
                    cachedInput: number | null;
                    cacheWrite: number | null;
                    output: number | null;
                    reasoning: number | null;
                };
            }>;
        };
    };
    /** Get the configuration of Vertex AI, without its secrets */
    'GET /auth/v1/tenants/{tenantId}/providers/vertex': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: {
            configured: true;
            provider_type: string;
            key_last4: string;
            key_set_at: string;
            base_url_override: string | null;
            configuration: Record<string, string>;
            models: Array<{
                id: string;
                model_id: string;
                display_name: string | null;
                context_window: number | null;
                max_output_tokens: number | null;
                capabilities: {
                    streaming: boolean | null;
                    tools: boolean | null;
                    vision: boolean | null;
                    reasoning: boolean | null;
                    structured_output: boolean | null;
                    temperature: boolean | null;
                    surfaces: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                };
                prices: {
                    input: number | null;
                    cached_input: number | null;
                    cache_write: number | null;
                    output: number | null;
                    reasoning: number | null;
                    effective_from: string | null;
                } | null;
            }>;
            projects_using_count: number;
        };
    };
    /** List the webhooks of a tenant */
    'GET /auth/v1/tenants/{tenantId}/webhooks': {
        input: {
            path: {
                tenantId: string;
            };
        };
        output: Array<{
            id: string;
            url: string;
            types: Array<'project_created' | 'project_suspended' | 'project_reactivated' | 'project_deleted' | 'settings_deployed' | 'api_key_created' | 'api_key_rotated' | 'api_key_revoked' | 'price_set' | 'price_deleted' | 'budget_alert' | 'member_joined' | 'member_removed'> | null;
            created_at: string;
            previous_secret_until: string | null;
        }>;
    };
    /** List the deliveries of a webhook in the last 30 days, newest first */
    'GET /auth/v1/tenants/{tenantId}/webhooks/{webhookId}/deliveries': {
        input: {
            path: {
                tenantId: string;
                webhookId: string;
            };
            query?: {
                limit?: number;
                cursor?: string;
            };
        };
        output: {
            data: Array<{
                id: string;
                type: 'project_created' | 'project_suspended' | 'project_reactivated' | 'project_deleted' | 'settings_deployed' | 'api_key_created' | 'api_key_rotated' | 'api_key_revoked' | 'price_set' | 'price_deleted' | 'budget_alert' | 'member_joined' | 'member_removed' | 'webhook_test';
                status: 'pending' | 'delivered' | 'failed';
                attempts: number;
                last_status: number | null;
                created_at: string;
            }>;
            next_cursor: string | null;
        };
    };
    /** List the open sessions of the signed-in user, newest first, at most 200 */
    'GET /auth/v1/users/current/sessions': {
        input: Record<never, never>;
        output: Array<{
            id: string;
            created_at: string;
            last_seen_at: string;
            address: string | null;
            user_agent: string | null;
            current: boolean;
        }>;
    };
    /** Get one open session of the signed-in user */
    'GET /auth/v1/users/current/sessions/{sessionId}': {
        input: {
            path: {
                sessionId: string;
            };
        };
        output: {
            id: string;
            created_at: string;
            last_seen_at: string;
            address: string | null;
            user_agent: string | null;
            current: boolean;
        };
    };
    /** Get both documents as an HTML page */
    'GET /docs/api': {
        input: Record<never, never>;
        output: string;
    };
    /** Get the OpenAPI document of the data plane */
    'GET /openapi.json': {
        input: Record<never, never>;
        output: Record<string, unknown>;
    };
    /** List all kill switches that are on */
    'GET /v1/admin/killswitch/status': {
        input: Record<never, never>;
        output: {
            global: boolean;
            tenants: Array<string>;
            projects: Array<string>;
        };
    };
    /** List all projects, newest first; `q` is an id, the host, or a part of the name or slug */
    'GET /v1/admin/projects': {
        input: {
            query?: {
                limit?: number;
                cursor?: string;
                q?: string;
            };
        };
        output: {
            data: Array<{
                id: string;
                slug: string;
                name: string;
                status: 'active' | 'suspended';
                tenant_id: string;
                tenant_name: string;
                created_at: string;
            }>;
            next_cursor: string | null;
        };
    };
    /** List all tenants, newest first; `q` is an id, or a part of a name or of a member’s email */
    'GET /v1/admin/tenants': {
        input: {
            query?: {
                limit?: number;
                cursor?: string;
                q?: string;
            };
        };
        output: {
            data: Array<{
                id: string;
                name: string;
                plan: 'free' | 'pro';
                created_at: string;
                active_projects: number;
                members: number;
                owners: Array<{
                    id: string;
                    email: string;
                }>;
            }>;
            next_cursor: string | null;
        };
    };
    /** List the usage of all tenants; totals cover all rows of the filter */
    'GET /v1/admin/usage': {
        input: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                group_by?: 'tenant' | 'day' | 'model' | 'endpoint';
            };
        };
        output: {
            data: Array<{
                tenant_id: string | null;
                day: string | null;
                model: string | null;
                endpoint: 'chat_completions' | 'responses' | 'messages' | 'count_tokens' | 'embeddings' | null;
                requests: number;
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                cost_usd: number;
            }>;
            totals: {
                requests: number;
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                cost_usd: number;
            };
            next_cursor: string | null;
        };
    };
    /** List the guardrail events of the last 30 days, newest first */
    'GET /v1/tenants/{tenantId}/guardrails/events': {
        input: {
            path: {
                tenantId: string;
            };
            query?: {
                limit?: number;
                cursor?: string;
                project_id?: string;
                type?: 'pii_block' | 'pii_detection' | 'sentinel_jailbreak' | 'sentinel_blocklist';
                from?: string;
                to?: string;
            };
        };
        output: {
            data: Array<{
                id: string;
                type: 'pii_block' | 'pii_detection' | 'sentinel_jailbreak' | 'sentinel_blocklist';
                tenant_id: string;
                project_id: string;
                direction: 'input' | 'output';
                mode: 'shadow' | 'enforce';
                action_taken: 'blocked' | 'masked' | 'redacted' | 'detected';
                entity_types?: Array<string>;
                entity_count?: string;
                pattern_family?: string;
                term_count?: string;
                source?: 'user' | 'document' | 'tool';
                request_id: string;
                timestamp: string;
            }>;
            next_cursor: string | null;
        };
    };
    /** Rename a project; its slug does not change */
    'PATCH /auth/v1/projects/{projectId}': {
        input: {
            path: {
                projectId: string;
            };
            body: {
                name: string;
            };
        };
        output: {
            id: string;
            tenant_id: string;
            name: string;
            slug: string;
            status: 'active' | 'suspended';
            dns_status: 'PENDING' | 'READY' | 'FAILED';
            created_at: string;
            fqdn_dev: string;
            fqdn_prod: string;
        };
    };
    /** Rename a tenant */
    'PATCH /auth/v1/tenants/{tenantId}': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                name: string;
            };
        };
        output: {
            id: string;
            name: string;
            plan: 'free' | 'pro';
            created_at: string;
        };
    };
    /** Change the role of a member, except of the last owner */
    'PATCH /auth/v1/tenants/{tenantId}/members/{userId}': {
        input: {
            path: {
                tenantId: string;
                userId: string;
            };
            body: {
                role: 'owner' | 'member' | 'viewer';
            };
        };
        output: {
            id: string;
            email: string;
            role: 'owner' | 'member' | 'viewer';
        };
    };
    /** Add a provider to the catalog */
    'POST /auth/v1/admin/providers': {
        input: {
            headers?: {
                'Idempotency-Key'?: string;
            };
            body: {
                name: string;
                slug: string;
                displayName: string;
                modelsEndpointUrl?: string;
                modelsEndpointAuthType?: 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'none' | null;
                authConfigSchema?: Record<string, unknown> | null;
                supportedFeatures?: Record<string, unknown> | null;
            };
        };
        output: {
            id: string;
            name: string;
            slug: string;
            display_name: string;
            is_active: boolean;
            model_count: number;
            created_at: string;
            updated_at: string;
        };
    };
    /** Update the model registry from the provider's list of models */
    'POST /auth/v1/admin/providers/{providerId}/sync-models': {
        input: {
            path: {
                providerId: string;
            };
        };
        output: {
            provider: string;
            discovered: number;
            added: number;
            updated: number;
            models: Array<string>;
        };
    };
    /** Rotate an API key; the old one stops working at once */
    'POST /auth/v1/api-keys/{keyId}/rotate': {
        input: {
            path: {
                keyId: string;
            };
        };
        output: {
            id: string;
            api_key: string;
            message: string;
        };
    };
    /** Mint a token for one end user */
    'POST /auth/v1/auth/mint': {
        input: {
            body: {
                user_id: string;
                role?: 'user' | 'dashboard-service' | 'admin';
                ttl?: number;
                tier?: string;
                session_id?: string;
            };
        };
        output: {
            access_token: string;
            token_type: 'Bearer';
            project_id: string;
            expires_in: number;
        };
    };
    /** Accept an invitation: by the session of its email, its account’s password, or a new password */
    'POST /auth/v1/invitations/accept': {
        input: {
            query?: {
                cookie?: 'true' | 'false';
            };
            body: {
                token: string;
                password?: string;
            };
        };
        output: {
            session_token: string;
            token_type: 'Bearer';
            expires_in: number;
            user: {
                id: string;
                email: string;
                tenants: Array<{
                    id: string;
                    name: string;
                    plan: string;
                    role: string;
                }>;
            };
        } | {
            expires_in: number;
            user: {
                id: string;
                email: string;
                tenants: Array<{
                    id: string;
                    name: string;
                    plan: string;
                    role: string;
                }>;
            };
        };
    };
    /** Set a new password with a reset link and sign in; all other sessions end */
    'POST /auth/v1/password-resets/accept': {
        input: {
            query?: {
                cookie?: 'true' | 'false';
            };
            body: {
                token: string;
                password: string;
            };
        };
        output: {
            session_token: string;
            token_type: 'Bearer';
            expires_in: number;
            user: {
                id: string;
                email: string;
                tenants: Array<{
                    id: string;
                    name: string;
                    plan: string;
                    role: string;
                }>;
            };
        } | {
            expires_in: number;
            user: {
                id: string;
                email: string;
                tenants: Array<{
                    id: string;
                    name: string;
                    plan: string;
                    role: string;
                }>;
            };
        };
    };
    /** Create an API key; only this response contains its plaintext */
    'POST /auth/v1/projects/{projectId}/api-keys': {
        input: {
            path: {
                projectId: string;
            };
            headers?: {
                'Idempotency-Key'?: string;
            };
            body?: {
                name?: string;
                role?: 'user' | 'dashboard-service' | 'admin';
            };
        };
        output: {
            id: string;
            api_key: string;
            message: string;
            project_id: string;
        };
    };
    /** Revoke an API key permanently */
    'POST /auth/v1/projects/{projectId}/api-keys/{keyId}/revoke': {
        input: {
            path: {
                projectId: string;
                keyId: string;
            };
        };
        output: {
            message: string;
        };
    };
    /** Rotate an API key; the old one stops working at once */
    'POST /auth/v1/projects/{projectId}/api-keys/{keyId}/rotate': {
        input: {
            path: {
                projectId: string;
                keyId: string;
            };
        };
        output: {
            id: string;
            api_key: string;
            message: string;
        };
    };
    /** Show what the guardrails find in a text and would do; nothing is stored and no provider is called */
    'POST /auth/v1/projects/{projectId}/guardrails/try': {
        input: {
            path: {
                projectId: string;
            };
            body: {
                text: string;
                role?: 'user' | 'assistant' | 'system' | 'developer' | 'tool';
                use?: 'draft' | 'deployed';
            };
        };
        output: {
            pii: Array<{
                type: string;
                start: number;
                end: number;
                score: number;
                action: 'MASK' | 'REDACT' | 'BLOCK';
            }>;
            sentinel: {
                verdict: 'passed' | 'detected' | 'blocked';
                families: Array<string>;
                terms: number;
            };
            would: 'pass' | 'mask' | 'redact' | 'block';
            masked_text: string | null;
        };
    };
    /** Check whether the project accepts a token, and why not; the token is not stored */
    'POST /auth/v1/projects/{projectId}/inspect-token': {
        input: {
            path: {
                projectId: string;
            };
            body: {
                token: string;
            };
        };
        output: {
            valid: boolean;
            reason: string | null;
            header: Record<string, unknown> | null;
            claims: Record<string, unknown> | null;
            source: 'service' | 'external' | null;
        };
    };
    /** Test the draft model, or the deployed one; the response is a stream of OpenAI chunks */
    'POST /auth/v1/projects/{projectId}/playground': {
        input: {
            path: {
                projectId: string;
            };
            query?: {
                use?: 'draft' | 'deployed';
            };
            headers?: {
                'X-User-Id'?: string;
                'X-Sallyport-Cache'?: string;
            };
            body: {
                messages: Array<{
                    role: string;
                    content: string;
                }>;
            };
        };
        output: ReadableStream<Uint8Array>;
    };
    /** Retry a failed provisioning of host names */
    'POST /auth/v1/projects/{projectId}/provisioning/retry': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            dns_status: 'PENDING';
        };
    };
    /** Reactivate a suspended project; its API keys stay revoked; idempotent */
    'POST /auth/v1/projects/{projectId}/reactivate': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            status: 'active';
            dns_status: 'PENDING' | 'READY' | 'FAILED';
        };
    };
    /** Deploy the draft */
    'POST /auth/v1/projects/{projectId}/settings/deploy': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            deployed: true;
            project_id: string;
            deployed_at: string;
        };
    };
    /** Roll back: deploy an old snapshot again, as a new one */
    'POST /auth/v1/projects/{projectId}/settings/deployments/{number}/rollback': {
        input: {
            path: {
                projectId: string;
                number: string;
            };
        };
        output: {
            deployed: true;
            project_id: string;
            deployed_at: string;
        };
    };
    /** Discard the draft and restore the last deployed snapshot */
    'POST /auth/v1/projects/{projectId}/settings/discard-draft': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            system_prompt: string | null;
            memory_window: number;
            cors_origins: Array<string>;
            cors_allow_credentials: boolean;
            rpm_limit: number;
            tokens_per_day: number;
            pii_mode: 'disabled' | 'shadow' | 'enforce';
            pii_entities: {
                EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
            };
            custom_entities: Array<{
                name: string;
                patterns?: Array<string>;
                words?: Array<string>;
                context?: Array<string>;
                checksum?: 'luhn' | 'mod97';
            }>;
            sentinel_mode: 'disabled' | 'shadow' | 'enforce';
            sentinel_blocklist: Array<string>;
            sentinel_sources: 'user' | 'user_and_tools';
            memory_enabled: boolean;
            retention_days: number | null;
            store_tool_calls: boolean;
            provider_model: string | null;
            allowed_models: Array<string> | null;
            routes: {
                targets: Array<{
                    model: string;
                    weight?: number;
                    timeout_ms?: number;
                }>;
                strategy: 'fallback' | 'weighted';
                retry?: {
                    attempts: number;
                    on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                };
                first_token_timeout_ms?: number;
            } | null;
            max_output_tokens: number | null;
            user_rpm_limit: number | null;
            user_tokens_per_day: number | null;
            client_system_messages: 'allow' | 'drop' | 'reject';
            client_tools: 'allow' | 'reject';
            client_fields: 'all' | 'known';
            pii_answer_mode: 'disabled' | 'shadow' | 'enforce';
            answer_blocklist: Array<string>;
            budgets: Array<{
                usd: number;
                period: 'day' | 'month';
            }> | null;
            recogniser_url: string | null;
            cache: {
                ttl_seconds: number;
                scope?: 'user' | 'project';
            } | null;
            id: string;
            project_id: string;
            draft_provider_model: string | null;
            draft_saved_at: string | null;
            deployed_at: string | null;
            created_at: string;
            updated_at: string;
        };
    };
    /** Publish the draft model; live at once */
    'POST /auth/v1/projects/{projectId}/settings/model/publish': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            provider_model: string;
            deployed_at: string;
        };
    };
    /** Suspend a project and revoke its API keys; idempotent */
    'POST /auth/v1/projects/{projectId}/suspend': {
        input: {
            path: {
                projectId: string;
            };
        };
        output: {
            status: 'suspended';
        };
    };
    /** Create a tier */
    'POST /auth/v1/projects/{projectId}/tiers': {
        input: {
            path: {
                projectId: string;
            };
            headers?: {
                'Idempotency-Key'?: string;
            };
            body: {
                name: string;
                sort_order?: number;
                overrides?: {
                    system_prompt?: string | null;
                    memory_window?: number;
                    rpm_limit?: number;
                    tokens_per_day?: number;
                    pii_mode?: 'disabled' | 'shadow' | 'enforce';
                    pii_entities?: {
                        EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                        PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                        PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                        US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                        LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                        DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                        CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                        US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                        IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                        IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                        CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                        [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
                    };
                    custom_entities?: Array<{
                        name: string;
                        patterns?: Array<string>;
                        words?: Array<string>;
                        context?: Array<string>;
                        checksum?: 'luhn' | 'mod97';
                    }>;
                    sentinel_mode?: 'disabled' | 'shadow' | 'enforce';
                    sentinel_blocklist?: Array<string>;
                    sentinel_sources?: 'user' | 'user_and_tools';
                    memory_enabled?: boolean;
                    retention_days?: number | null;
                    store_tool_calls?: boolean;
                    provider_model?: string | null;
                    allowed_models?: Array<string> | null;
                    routes?: {
                        targets: Array<{
                            model: string;
                            weight?: number;
                            timeout_ms?: number;
                        }>;
                        strategy: 'fallback' | 'weighted';
                        retry?: {
                            attempts: number;
                            on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                        };
                        first_token_timeout_ms?: number;
                    } | null;
                    max_output_tokens?: number | null;
                    user_rpm_limit?: number | null;
                    user_tokens_per_day?: number | null;
                    client_system_messages?: 'allow' | 'drop' | 'reject';
                    client_tools?: 'allow' | 'reject';
                    client_fields?: 'all' | 'known';
                    pii_answer_mode?: 'disabled' | 'shadow' | 'enforce';
                    answer_blocklist?: Array<string>;
                    budgets?: Array<{
                        usd: number;
                        period: 'day' | 'month';
                    }> | null;
                    recogniser_url?: string | null;
                    cache?: {
                        ttl_seconds: number;
                        scope?: 'user' | 'project';
                    } | null;
                };
            };
        };
        output: {
            id: string;
            project_id: string;
            name: string;
            sort_order: number;
            overrides: {
                system_prompt?: string | null;
                memory_window?: number;
                rpm_limit?: number;
                tokens_per_day?: number;
                pii_mode?: 'disabled' | 'shadow' | 'enforce';
                pii_entities?: {
                    EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                    LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                    DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                    IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                    [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
                };
                custom_entities?: Array<{
                    name: string;
                    patterns?: Array<string>;
                    words?: Array<string>;
                    context?: Array<string>;
                    checksum?: 'luhn' | 'mod97';
                }>;
                sentinel_mode?: 'disabled' | 'shadow' | 'enforce';
                sentinel_blocklist?: Array<string>;
                sentinel_sources?: 'user' | 'user_and_tools';
                memory_enabled?: boolean;
                retention_days?: number | null;
                store_tool_calls?: boolean;
                provider_model?: string | null;
                allowed_models?: Array<string> | null;
                routes?: {
                    targets: Array<{
                        model: string;
                        weight?: number;
                        timeout_ms?: number;
                    }>;
                    strategy: 'fallback' | 'weighted';
                    retry?: {
                        attempts: number;
                        on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                    };
                    first_token_timeout_ms?: number;
                } | null;
                max_output_tokens?: number | null;
                user_rpm_limit?: number | null;
                user_tokens_per_day?: number | null;
                client_system_messages?: 'allow' | 'drop' | 'reject';
                client_tools?: 'allow' | 'reject';
                client_fields?: 'all' | 'known';
                pii_answer_mode?: 'disabled' | 'shadow' | 'enforce';
                answer_blocklist?: Array<string>;
                budgets?: Array<{
                    usd: number;
                    period: 'day' | 'month';
                }> | null;
                recogniser_url?: string | null;
                cache?: {
                    ttl_seconds: number;
                    scope?: 'user' | 'project';
                } | null;
            };
            created_at: string;
            updated_at: string;
        };
    };
    /** Revoke all tokens of an end user that were issued until now, minted and external ones */
    'POST /auth/v1/projects/{projectId}/users/{uid}/revoke-tokens': {
        input: {
            path: {
                projectId: string;
                uid: string;
            };
        };
        output: {
            revoked_before: string;
        };
    };
    /** Sign in with email and password */
    'POST /auth/v1/sessions': {
        input: {
            query?: {
                cookie?: 'true' | 'false';
            };
            body: {
                email: string;
                password: string;
            };
        };
        output: {
            session_token: string;
            token_type: 'Bearer';
            expires_in: number;
            user: {
                id: string;
                email: string;
                tenants: Array<{
                    id: string;
                    name: string;
                    plan: string;
                    role: string;
                }>;
            };
        } | {
            expires_in: number;
            user: {
                id: string;
                email: string;
                tenants: Array<{
                    id: string;
                    name: string;
                    plan: string;
                    role: string;
                }>;
            };
        };
    };
    /** Create a tenant; the caller becomes its owner */
    'POST /auth/v1/tenants': {
        input: {
            headers?: {
                'Idempotency-Key'?: string;
            };
            body: {
                name: string;
            };
        };
        output: {
            id: string;
            name: string;
        };
    };
    /** Invite a member; whoever has the email joins by accepting the link */
    'POST /auth/v1/tenants/{tenantId}/members': {
        input: {
            path: {
                tenantId: string;
            };
            headers?: {
                'Idempotency-Key'?: string;
            };
            body: {
                email: string;
                role: 'owner' | 'member' | 'viewer';
            };
        };
        output: {
            id: string;
            email: string;
            role: 'owner' | 'member' | 'viewer';
            invite_url: string;
        };
    };
    /** Create a link with which a member can set a new password once, within an hour */
    'POST /auth/v1/tenants/{tenantId}/members/{userId}/reset-link': {
        input: {
            path: {
                tenantId: string;
                userId: string;
            };
            headers?: {
                'Idempotency-Key'?: string;
            };
        };
        output: {
            reset_url: string;
        };
    };
    /** Create a project with default settings */
    'POST /auth/v1/tenants/{tenantId}/projects': {
        input: {
            path: {
                tenantId: string;
            };
            headers?: {
                'Idempotency-Key'?: string;
            };
            body: {
                name: string;
            };
        };
        output: {
            id: string;
            tenant_id: string;
            name: string;
            slug: string;
            dns_status: 'PENDING' | 'READY' | 'FAILED';
            fqdn_dev: string;
            fqdn_prod: string;
        };
    };
    /** Check a configuration of Azure OpenAI with it, without storing it */
    'POST /auth/v1/tenants/{tenantId}/providers/azure/validate': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                base_url: string;
                api_version: string;
                deployments: Array<{
                    id: string;
                    display_name?: string;
                    context_window?: number;
                    max_output_tokens?: number;
                    capabilities?: {
                        streaming?: boolean;
                        tools?: boolean;
                        vision?: boolean;
                        reasoning?: boolean;
                        structured_output?: boolean;
                        temperature?: boolean;
                        surfaces?: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                    };
                    prices?: {
                        input: number;
                        cached_input?: number;
                        cache_write?: number;
                        output: number;
                        reasoning?: number;
                        effective_from?: string;
                    };
                }>;
                api_key?: string;
                tenant_id?: string;
                client_id?: string;
                client_secret?: string;
                base_url_override?: string;
            };
        };
        output: {
            valid: boolean;
            reason?: 'invalid_key' | 'network_error' | 'timeout' | 'rate_limited';
        };
    };
    /** Check a configuration of Amazon Bedrock with it, without storing it */
    'POST /auth/v1/tenants/{tenantId}/providers/bedrock/validate': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                region: string;
                models: Array<{
                    id: string;
                    display_name?: string;
                    context_window?: number;
                    max_output_tokens?: number;
                    capabilities?: {
                        streaming?: boolean;
                        tools?: boolean;
                        vision?: boolean;
                        reasoning?: boolean;
                        structured_output?: boolean;
                        temperature?: boolean;
                        surfaces?: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                    };
                    prices?: {
                        input: number;
                        cached_input?: number;
                        cache_write?: number;
                        output: number;
                        reasoning?: number;
                        effective_from?: string;
                    };
                }>;
                access_key_id?: string;
                secret_access_key?: string;
                session_token?: string;
                role_arn?: string;
                web_identity_token_file?: string;
                base_url_override?: string;
            };
        };
        output: {
            valid: boolean;
            reason?: 'invalid_key' | 'network_error' | 'timeout' | 'rate_limited';
        };
    };
    /** Check a configuration of Vertex AI with it, without storing it */
    'POST /auth/v1/tenants/{tenantId}/providers/vertex/validate': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                service_account: Record<string, unknown> | string;
                location: string;
                models: Array<{
                    id: string;
                    display_name?: string;
                    context_window?: number;
                    max_output_tokens?: number;
                    capabilities?: {
                        streaming?: boolean;
                        tools?: boolean;
                        vision?: boolean;
                        reasoning?: boolean;
                        structured_output?: boolean;
                        temperature?: boolean;
                        surfaces?: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                    };
                    prices?: {
                        input: number;
                        cached_input?: number;
                        cache_write?: number;
                        output: number;
                        reasoning?: number;
                        effective_from?: string;
                    };
                }>;
                base_url_override?: string;
            };
        };
        output: {
            valid: boolean;
            reason?: 'invalid_key' | 'network_error' | 'timeout' | 'rate_limited';
        };
    };
    /** Check a key with the provider without storing it */
    'POST /auth/v1/tenants/{tenantId}/providers/{providerType}/validate': {
        input: {
            path: {
                tenantId: string;
                providerType: string;
            };
            body: {
                api_key: string;
                base_url_override?: string;
            };
        };
        output: {
            valid: boolean;
            reason?: 'invalid_key' | 'network_error' | 'timeout' | 'rate_limited';
        };
    };
    /** Create a webhook; only this response contains its secret */
    'POST /auth/v1/tenants/{tenantId}/webhooks': {
        input: {
            path: {
                tenantId: string;
            };
            headers?: {
                'Idempotency-Key'?: string;
            };
            body: {
                url: string;
                types?: Array<'project_created' | 'project_suspended' | 'project_reactivated' | 'project_deleted' | 'settings_deployed' | 'api_key_created' | 'api_key_rotated' | 'api_key_revoked' | 'price_set' | 'price_deleted' | 'budget_alert' | 'member_joined' | 'member_removed'> | null;
            };
        };
        output: {
            id: string;
            url: string;
            types: Array<'project_created' | 'project_suspended' | 'project_reactivated' | 'project_deleted' | 'settings_deployed' | 'api_key_created' | 'api_key_rotated' | 'api_key_revoked' | 'price_set' | 'price_deleted' | 'budget_alert' | 'member_joined' | 'member_removed'> | null;
            created_at: string;
            previous_secret_until: string | null;
            secret: string;
        };
    };
    /** Replace the secret of a webhook; for 24 hours, deliveries are signed with the previous one too */
    'POST /auth/v1/tenants/{tenantId}/webhooks/{webhookId}/rotate': {
        input: {
            path: {
                tenantId: string;
                webhookId: string;
            };
            headers?: {
                'Idempotency-Key'?: string;
            };
        };
        output: {
            id: string;
            url: string;
            types: Array<'project_created' | 'project_suspended' | 'project_reactivated' | 'project_deleted' | 'settings_deployed' | 'api_key_created' | 'api_key_rotated' | 'api_key_revoked' | 'price_set' | 'price_deleted' | 'budget_alert' | 'member_joined' | 'member_removed'> | null;
            created_at: string;
            previous_secret_until: string | null;
            secret: string;
        };
    };
    /** Queue a delivery of type `webhook_test`; at most 10 a minute for each webhook */
    'POST /auth/v1/tenants/{tenantId}/webhooks/{webhookId}/test': {
        input: {
            path: {
                tenantId: string;
                webhookId: string;
            };
            headers?: {
                'Idempotency-Key'?: string;
            };
        };
        output: {
            id: string;
            type: 'project_created' | 'project_suspended' | 'project_reactivated' | 'project_deleted' | 'settings_deployed' | 'api_key_created' | 'api_key_rotated' | 'api_key_revoked' | 'price_set' | 'price_deleted' | 'budget_alert' | 'member_joined' | 'member_removed' | 'webhook_test';
            status: 'pending' | 'delivered' | 'failed';
            attempts: number;
            last_status: number | null;
            created_at: string;
        };
    };
    /** Turn the global kill switch on or off; it stops all inference */
    'POST /v1/admin/killswitch/global': {
        input: {
            body: {
                enabled: boolean;
            };
        };
        output: {
            killswitch: 'global';
            enabled: boolean;
        };
    };
    /** Turn the kill switch of a project on or off */
    'POST /v1/admin/killswitch/project/{projectId}': {
        input: {
            path: {
                projectId: string;
            };
            body: {
                enabled: boolean;
            };
        };
        output: {
            killswitch: 'project';
            projectId: string;
            enabled: boolean;
        };
    };
    /** Turn the kill switch of a tenant on or off */
    'POST /v1/admin/killswitch/tenant/{tenantId}': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                enabled: boolean;
            };
        };
        output: {
            killswitch: 'tenant';
            tenantId: string;
            enabled: boolean;
        };
    };
    /** Create a link with which any user can set a new password once, within an hour */
    'POST /v1/admin/users/{userId}/reset-link': {
        input: {
            path: {
                userId: string;
            };
            headers?: {
                'Idempotency-Key'?: string;
            };
        };
        output: {
            reset_url: string;
        };
    };
    /** Set the external identity provider whose tokens the project accepts */
    'PUT /auth/v1/projects/{projectId}/identity-provider': {
        input: {
            path: {
                projectId: string;
            };
            body: {
                issuer: string;
                jwks_url: string;
                audience: string;
                user_id_claim?: string;
                tier_claim?: string | null;
            };
        };
        output: {
            project_id: string;
            issuer: string;
            jwks_url: string;
            audience: string;
            user_id_claim: string;
            tier_claim: string | null;
            last_synced_at: string | null;
            last_error: string | null;
            created_at: string;
            updated_at: string;
        };
    };
    /** Update the draft; live traffic does not change before a deploy */
    'PUT /auth/v1/projects/{projectId}/settings': {
        input: {
            path: {
                projectId: string;
            };
            body?: {
                system_prompt?: string | null;
                memory_window?: number;
                cors_origins?: Array<string>;
                cors_allow_credentials?: boolean;
                rpm_limit?: number;
                tokens_per_day?: number;
                pii_mode?: 'disabled' | 'shadow' | 'enforce';
                pii_entities?: {
                    EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                    LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                    DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                    IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                    [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
                };
                custom_entities?: Array<{
                    name: string;
                    patterns?: Array<string>;
                    words?: Array<string>;
                    context?: Array<string>;
                    checksum?: 'luhn' | 'mod97';
                }>;
                sentinel_mode?: 'disabled' | 'shadow' | 'enforce';
                sentinel_blocklist?: Array<string>;
                sentinel_sources?: 'user' | 'user_and_tools';
                memory_enabled?: boolean;
                retention_days?: number | null;
                store_tool_calls?: boolean;
                provider_model?: string | null;
                allowed_models?: Array<string> | null;
                routes?: {
                    targets: Array<{
                        model: string;
                        weight?: number;
                        timeout_ms?: number;
                    }>;
                    strategy: 'fallback' | 'weighted';
                    retry?: {
                        attempts: number;
                        on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                    };
                    first_token_timeout_ms?: number;
                } | null;
                max_output_tokens?: number | null;
                user_rpm_limit?: number | null;
                user_tokens_per_day?: number | null;
                client_system_messages?: 'allow' | 'drop' | 'reject';
                client_tools?: 'allow' | 'reject';
                client_fields?: 'all' | 'known';
                pii_answer_mode?: 'disabled' | 'shadow' | 'enforce';
                answer_blocklist?: Array<string>;
                budgets?: Array<{
                    usd: number;
                    period: 'day' | 'month';
                }> | null;
                recogniser_url?: string | null;
                cache?: {
                    ttl_seconds: number;
                    scope?: 'user' | 'project';
                } | null;
            };
        };
        output: {
            system_prompt: string | null;
            memory_window: number;
            cors_origins: Array<string>;
            cors_allow_credentials: boolean;
            rpm_limit: number;
            tokens_per_day: number;
            pii_mode: 'disabled' | 'shadow' | 'enforce';
            pii_entities: {
                EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
            };
            custom_entities: Array<{
                name: string;
                patterns?: Array<string>;
                words?: Array<string>;
                context?: Array<string>;
                checksum?: 'luhn' | 'mod97';
            }>;
            sentinel_mode: 'disabled' | 'shadow' | 'enforce';
            sentinel_blocklist: Array<string>;
            sentinel_sources: 'user' | 'user_and_tools';
            memory_enabled: boolean;
            retention_days: number | null;
            store_tool_calls: boolean;
            provider_model: string | null;
            allowed_models: Array<string> | null;
            routes: {
                targets: Array<{
                    model: string;
                    weight?: number;
                    timeout_ms?: number;
                }>;
                strategy: 'fallback' | 'weighted';
                retry?: {
                    attempts: number;
                    on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                };
                first_token_timeout_ms?: number;
            } | null;
            max_output_tokens: number | null;
            user_rpm_limit: number | null;
            user_tokens_per_day: number | null;
            client_system_messages: 'allow' | 'drop' | 'reject';
            client_tools: 'allow' | 'reject';
            client_fields: 'all' | 'known';
            pii_answer_mode: 'disabled' | 'shadow' | 'enforce';
            answer_blocklist: Array<string>;
            budgets: Array<{
                usd: number;
                period: 'day' | 'month';
            }> | null;
            recogniser_url: string | null;
            cache: {
                ttl_seconds: number;
                scope?: 'user' | 'project';
            } | null;
            id: string;
            project_id: string;
            draft_provider_model: string | null;
            draft_saved_at: string | null;
            deployed_at: string | null;
            created_at: string;
            updated_at: string;
        };
    };
    /** Set the model; live at once, without a deploy */
    'PUT /auth/v1/projects/{projectId}/settings/model': {
        input: {
            path: {
                projectId: string;
            };
            body: {
                provider_model: string;
            };
        };
        output: {
            configured: true;
            provider_model: string;
            provider_type: string;
        };
    };
    /** Set the draft model; setting the deployed model discards the draft */
    'PUT /auth/v1/projects/{projectId}/settings/model/draft': {
        input: {
            path: {
                projectId: string;
            };
            body: {
                provider_model: string;
            };
        };
        output: {
            draft_provider_model: string | null;
            draft_saved_at: string | null;
        };
    };
    /** Update a tier; `overrides` is replaced as a whole */
    'PUT /auth/v1/projects/{projectId}/tiers/{tierId}': {
        input: {
            path: {
                projectId: string;
                tierId: string;
            };
            body?: {
                name?: string;
                sort_order?: number;
                overrides?: {
                    system_prompt?: string | null;
                    memory_window?: number;
                    rpm_limit?: number;
                    tokens_per_day?: number;
                    pii_mode?: 'disabled' | 'shadow' | 'enforce';
                    pii_entities?: {
                        EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                        PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                        PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                        US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                        LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                        DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                        CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                        US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                        IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                        IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                        CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                        [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
                    };
                    custom_entities?: Array<{
                        name: string;
                        patterns?: Array<string>;
                        words?: Array<string>;
                        context?: Array<string>;
                        checksum?: 'luhn' | 'mod97';
                    }>;
                    sentinel_mode?: 'disabled' | 'shadow' | 'enforce';
                    sentinel_blocklist?: Array<string>;
                    sentinel_sources?: 'user' | 'user_and_tools';
                    memory_enabled?: boolean;
                    retention_days?: number | null;
                    store_tool_calls?: boolean;
                    provider_model?: string | null;
                    allowed_models?: Array<string> | null;
                    routes?: {
                        targets: Array<{
                            model: string;
                            weight?: number;
                            timeout_ms?: number;
                        }>;
                        strategy: 'fallback' | 'weighted';
                        retry?: {
                            attempts: number;
                            on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                        };
                        first_token_timeout_ms?: number;
                    } | null;
                    max_output_tokens?: number | null;
                    user_rpm_limit?: number | null;
                    user_tokens_per_day?: number | null;
                    client_system_messages?: 'allow' | 'drop' | 'reject';
                    client_tools?: 'allow' | 'reject';
                    client_fields?: 'all' | 'known';
                    pii_answer_mode?: 'disabled' | 'shadow' | 'enforce';
                    answer_blocklist?: Array<string>;
                    budgets?: Array<{
                        usd: number;
                        period: 'day' | 'month';
                    }> | null;
                    recogniser_url?: string | null;
                    cache?: {
                        ttl_seconds: number;
                        scope?: 'user' | 'project';
                    } | null;
                };
            };
        };
        output: {
            id: string;
            project_id: string;
            name: string;
            sort_order: number;
            overrides: {
                system_prompt?: string | null;
                memory_window?: number;
                rpm_limit?: number;
                tokens_per_day?: number;
                pii_mode?: 'disabled' | 'shadow' | 'enforce';
                pii_entities?: {
                    EMAIL_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    PHONE_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    PERSON?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_SSN?: 'MASK' | 'REDACT' | 'BLOCK';
                    LOCATION?: 'MASK' | 'REDACT' | 'BLOCK';
                    DATE_TIME?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDIT_CARD?: 'MASK' | 'REDACT' | 'BLOCK';
                    US_BANK_NUMBER?: 'MASK' | 'REDACT' | 'BLOCK';
                    IBAN_CODE?: 'MASK' | 'REDACT' | 'BLOCK';
                    IP_ADDRESS?: 'MASK' | 'REDACT' | 'BLOCK';
                    CREDENTIAL?: 'MASK' | 'REDACT' | 'BLOCK';
                    [name: string]: 'MASK' | 'REDACT' | 'BLOCK' | undefined;
                };
                custom_entities?: Array<{
                    name: string;
                    patterns?: Array<string>;
                    words?: Array<string>;
                    context?: Array<string>;
                    checksum?: 'luhn' | 'mod97';
                }>;
                sentinel_mode?: 'disabled' | 'shadow' | 'enforce';
                sentinel_blocklist?: Array<string>;
                sentinel_sources?: 'user' | 'user_and_tools';
                memory_enabled?: boolean;
                retention_days?: number | null;
                store_tool_calls?: boolean;
                provider_model?: string | null;
                allowed_models?: Array<string> | null;
                routes?: {
                    targets: Array<{
                        model: string;
                        weight?: number;
                        timeout_ms?: number;
                    }>;
                    strategy: 'fallback' | 'weighted';
                    retry?: {
                        attempts: number;
                        on?: Array<'connect' | 'timeout' | '429' | '5xx'>;
                    };
                    first_token_timeout_ms?: number;
                } | null;
                max_output_tokens?: number | null;
                user_rpm_limit?: number | null;
                user_tokens_per_day?: number | null;
                client_system_messages?: 'allow' | 'drop' | 'reject';
                client_tools?: 'allow' | 'reject';
                client_fields?: 'all' | 'known';
                pii_answer_mode?: 'disabled' | 'shadow' | 'enforce';
                answer_blocklist?: Array<string>;
                budgets?: Array<{
                    usd: number;
                    period: 'day' | 'month';
                }> | null;
                recogniser_url?: string | null;
                cache?: {
                    ttl_seconds: number;
                    scope?: 'user' | 'project';
                } | null;
            };
            created_at: string;
            updated_at: string;
        };
    };
    /** Block an end user: requests and mints are rejected, streams in flight end */
    'PUT /auth/v1/projects/{projectId}/users/{uid}/block': {
        input: {
            path: {
                projectId: string;
                uid: string;
            };
            body?: {
                reason?: string | null;
            };
        };
        output: {
            uid: string;
            blocked_at: string;
            reason: string | null;
        };
    };
    /** Set how much an end user may spend in a day and a month; live within a second */
    'PUT /auth/v1/projects/{projectId}/users/{uid}/budgets': {
        input: {
            path: {
                projectId: string;
                uid: string;
            };
            body: {
                budgets: Array<{
                    usd: number;
                    period: 'day' | 'month';
                }>;
            };
        };
        output: {
            budgets: Array<{
                usd: number;
                period: 'day' | 'month';
            }>;
            spent_usd: {
                day: number;
                month: number;
            };
            period_ends: {
                day: string;
                month: string;
            };
        };
    };
    /** Set how much a tenant may spend in a day and a month, all projects together; live within a second */
    'PUT /auth/v1/tenants/{tenantId}/budgets': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                budgets: Array<{
                    usd: number;
                    period: 'day' | 'month';
                }>;
            };
        };
        output: {
            budgets: Array<{
                usd: number;
                period: 'day' | 'month';
            }>;
            spent_usd: {
                day: number;
                month: number;
            };
            period_ends: {
                day: string;
                month: string;
            };
        };
    };
    /** Set what a model costs the tenant; live at once, or from a time on */
    'PUT /auth/v1/tenants/{tenantId}/prices': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                model: string;
                input: number;
                cached_input?: number;
                cache_write?: number;
                output: number;
                reasoning?: number;
                effective_from?: string;
            };
        };
        output: {
            data: Array<{
                model: string;
                input: number | null;
                cached_input: number | null;
                cache_write: number | null;
                output: number | null;
                reasoning: number | null;
                effective_from: string | null;
            }>;
        };
    };
    /** Configure Azure OpenAI as a whole, after a check with it; live at once */
    'PUT /auth/v1/tenants/{tenantId}/providers/azure': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                base_url: string;
                api_version: string;
                deployments: Array<{
                    id: string;
                    display_name?: string;
                    context_window?: number;
                    max_output_tokens?: number;
                    capabilities?: {
                        streaming?: boolean;
                        tools?: boolean;
                        vision?: boolean;
                        reasoning?: boolean;
                        structured_output?: boolean;
                        temperature?: boolean;
                        surfaces?: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                    };
                    prices?: {
                        input: number;
                        cached_input?: number;
                        cache_write?: number;
                        output: number;
                        reasoning?: number;
                        effective_from?: string;
                    };
                }>;
                api_key?: string;
                tenant_id?: string;
                client_id?: string;
                client_secret?: string;
                base_url_override?: string;
            };
        };
        output: {
            configured: true;
            provider_type: string;
            key_last4: string;
            key_set_at: string;
            base_url_override: string | null;
            configuration: Record<string, string>;
            models: Array<{
                id: string;
                model_id: string;
                display_name: string | null;
                context_window: number | null;
                max_output_tokens: number | null;
                capabilities: {
                    streaming: boolean | null;
                    tools: boolean | null;
                    vision: boolean | null;
                    reasoning: boolean | null;
                    structured_output: boolean | null;
                    temperature: boolean | null;
                    surfaces: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                };
                prices: {
                    input: number | null;
                    cached_input: number | null;
                    cache_write: number | null;
                    output: number | null;
                    reasoning: number | null;
                    effective_from: string | null;
                } | null;
            }>;
            projects_using_count: number;
        };
    };
    /** Configure Amazon Bedrock as a whole, after a check with it; live at once */
    'PUT /auth/v1/tenants/{tenantId}/providers/bedrock': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                region: string;
                models: Array<{
                    id: string;
                    display_name?: string;
                    context_window?: number;
                    max_output_tokens?: number;
                    capabilities?: {
                        streaming?: boolean;
                        tools?: boolean;
                        vision?: boolean;
                        reasoning?: boolean;
                        structured_output?: boolean;
                        temperature?: boolean;
                        surfaces?: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                    };
                    prices?: {
                        input: number;
                        cached_input?: number;
                        cache_write?: number;
                        output: number;
                        reasoning?: number;
                        effective_from?: string;
                    };
                }>;
                access_key_id?: string;
                secret_access_key?: string;
                session_token?: string;
                role_arn?: string;
                web_identity_token_file?: string;
                base_url_override?: string;
            };
        };
        output: {
            configured: true;
            provider_type: string;
            key_last4: string;
            key_set_at: string;
            base_url_override: string | null;
            configuration: Record<string, string>;
            models: Array<{
                id: string;
                model_id: string;
                display_name: string | null;
                context_window: number | null;
                max_output_tokens: number | null;
                capabilities: {
                    streaming: boolean | null;
                    tools: boolean | null;
                    vision: boolean | null;
                    reasoning: boolean | null;
                    structured_output: boolean | null;
                    temperature: boolean | null;
                    surfaces: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                };
                prices: {
                    input: number | null;
                    cached_input: number | null;
                    cache_write: number | null;
                    output: number | null;
                    reasoning: number | null;
                    effective_from: string | null;
                } | null;
            }>;
            projects_using_count: number;
        };
    };
    /** Configure a custom provider as a whole, after a check with its server; live at once */
    'PUT /auth/v1/tenants/{tenantId}/providers/custom/{slug}': {
        input: {
            path: {
                tenantId: string;
                slug: string;
            };
            body: {
                display_name: string;
                base_url: string;
                api_key?: string;
                headers?: Record<string, string>;
                models?: Array<{
                    id: string;
                    display_name?: string;
                    context_window?: number;
                    max_output_tokens?: number;
                    capabilities?: {
                        streaming?: boolean;
                        tools?: boolean;
                        vision?: boolean;
                        reasoning?: boolean;
                        structured_output?: boolean;
                        temperature?: boolean;
                        surfaces?: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                    };
                    prices?: {
                        input: number;
                        cached_input?: number;
                        cache_write?: number;
                        output: number;
                        reasoning?: number;
                        effective_from?: string;
                    };
                }>;
            };
        };
        output: {
            slug: string;
            provider_type: string;
            display_name: string;
            base_url: string;
            api_key_hint: string | null;
            headers: Record<string, string>;
            models_discovered: boolean;
            models: Array<{
                id: string;
                model_id: string;
                display_name: string | null;
                context_window: number | null;
                max_output_tokens: number | null;
                capabilities: {
                    streaming: boolean | null;
                    tools: boolean | null;
                    vision: boolean | null;
                    reasoning: boolean | null;
                    structured_output: boolean | null;
                    temperature: boolean | null;
                    surfaces: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                };
                prices: {
                    input: number | null;
                    cached_input: number | null;
                    cache_write: number | null;
                    output: number | null;
                    reasoning: number | null;
                    effective_from: string | null;
                } | null;
            }>;
            projects_using_count: number;
            updated_at: string;
        };
    };
    /** Configure Vertex AI as a whole, after a check with it; live at once */
    'PUT /auth/v1/tenants/{tenantId}/providers/vertex': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                service_account: Record<string, unknown> | string;
                location: string;
                models: Array<{
                    id: string;
                    display_name?: string;
                    context_window?: number;
                    max_output_tokens?: number;
                    capabilities?: {
                        streaming?: boolean;
                        tools?: boolean;
                        vision?: boolean;
                        reasoning?: boolean;
                        structured_output?: boolean;
                        temperature?: boolean;
                        surfaces?: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                    };
                    prices?: {
                        input: number;
                        cached_input?: number;
                        cache_write?: number;
                        output: number;
                        reasoning?: number;
                        effective_from?: string;
                    };
                }>;
                base_url_override?: string;
            };
        };
        output: {
            configured: true;
            provider_type: string;
            key_last4: string;
            key_set_at: string;
            base_url_override: string | null;
            configuration: Record<string, string>;
            models: Array<{
                id: string;
                model_id: string;
                display_name: string | null;
                context_window: number | null;
                max_output_tokens: number | null;
                capabilities: {
                    streaming: boolean | null;
                    tools: boolean | null;
                    vision: boolean | null;
                    reasoning: boolean | null;
                    structured_output: boolean | null;
                    temperature: boolean | null;
                    surfaces: Array<'chat_completions' | 'responses' | 'messages' | 'embeddings'>;
                };
                prices: {
                    input: number | null;
                    cached_input: number | null;
                    cache_write: number | null;
                    output: number | null;
                    reasoning: number | null;
                    effective_from: string | null;
                } | null;
            }>;
            projects_using_count: number;
        };
    };
    /** Store a provider key after a check with the provider */
    'PUT /auth/v1/tenants/{tenantId}/providers/{providerType}': {
        input: {
            path: {
                tenantId: string;
                providerType: string;
            };
            body: {
                api_key: string;
                base_url_override?: string;
            };
        };
        output: {
            configured: true;
            provider_type: string;
            key_last4: string;
            key_set_at: string;
        };
    };
    /** Set a new password; all other sessions end */
    'PUT /auth/v1/users/current/password': {
        input: {
            body: {
                current_password: string;
                new_password: string;
            };
        };
        output: {
            id: string;
            email: string;
            tenants: Array<{
                id: string;
                name: string;
                plan: string;
                role: string;
            }>;
        };
    };
    /** Set the plan of a tenant */
    'PUT /v1/admin/tenants/{tenantId}/plan': {
        input: {
            path: {
                tenantId: string;
            };
            body: {
                plan: 'free' | 'pro';
            };
        };
        output: {
            id: string;
            name: string;
            plan: 'free' | 'pro';
        };
    };
}
