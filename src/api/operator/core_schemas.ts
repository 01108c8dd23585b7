// Written by scripts/generate_core_schemas.ts from the OpenAPI of Kubernetes v1.36.3.

/** `io.k8s.api.core.v1.Affinity` */
export const Affinity = {
  "type": "object",
  "properties": {
    "nodeAffinity": {
      "type": "object",
      "properties": {
        "preferredDuringSchedulingIgnoredDuringExecution": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "preference": {
                "type": "object",
                "properties": {
                  "matchExpressions": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "properties": {
                        "key": { "type": "string" },
                        "operator": { "type": "string" },
                        "values": {
                          "type": "array",
                          "items": { "type": "string" },
                          "x-kubernetes-list-type": "atomic",
                        },
                      },
                      "required": ["key", "operator"],
                    },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "matchFields": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "properties": {
                        "key": { "type": "string" },
                        "operator": { "type": "string" },
                        "values": {
                          "type": "array",
                          "items": { "type": "string" },
                          "x-kubernetes-list-type": "atomic",
                        },
                      },
                      "required": ["key", "operator"],
                    },
                    "x-kubernetes-list-type": "atomic",
                  },
                },
                "x-kubernetes-map-type": "atomic",
              },
              "weight": { "type": "integer", "format": "int32" },
            },
            "required": ["weight", "preference"],
          },
          "x-kubernetes-list-type": "atomic",
        },
        "requiredDuringSchedulingIgnoredDuringExecution": {
          "type": "object",
          "properties": {
            "nodeSelectorTerms": {
              "type": "array",
              "items": {
                "type": "object",
                "properties": {
                  "matchExpressions": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "properties": {
                        "key": { "type": "string" },
                        "operator": { "type": "string" },
                        "values": {
                          "type": "array",
                          "items": { "type": "string" },
                          "x-kubernetes-list-type": "atomic",
                        },
                      },
                      "required": ["key", "operator"],
                    },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "matchFields": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "properties": {
                        "key": { "type": "string" },
                        "operator": { "type": "string" },
                        "values": {
                          "type": "array",
                          "items": { "type": "string" },
                          "x-kubernetes-list-type": "atomic",
                        },
                      },
                      "required": ["key", "operator"],
                    },
                    "x-kubernetes-list-type": "atomic",
                  },
                },
                "x-kubernetes-map-type": "atomic",
              },
              "x-kubernetes-list-type": "atomic",
            },
          },
          "required": ["nodeSelectorTerms"],
          "x-kubernetes-map-type": "atomic",
        },
      },
    },
    "podAffinity": {
      "type": "object",
      "properties": {
        "preferredDuringSchedulingIgnoredDuringExecution": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "podAffinityTerm": {
                "type": "object",
                "properties": {
                  "labelSelector": {
                    "type": "object",
                    "properties": {
                      "matchExpressions": {
                        "type": "array",
                        "items": {
                          "type": "object",
                          "properties": {
                            "key": { "type": "string" },
                            "operator": { "type": "string" },
                            "values": {
                              "type": "array",
                              "items": { "type": "string" },
                              "x-kubernetes-list-type": "atomic",
                            },
                          },
                          "required": ["key", "operator"],
                        },
                        "x-kubernetes-list-type": "atomic",
                      },
                      "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
                    },
                    "x-kubernetes-map-type": "atomic",
                  },
                  "matchLabelKeys": {
                    "type": "array",
                    "items": { "type": "string" },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "mismatchLabelKeys": {
                    "type": "array",
                    "items": { "type": "string" },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "namespaceSelector": {
                    "type": "object",
                    "properties": {
                      "matchExpressions": {
                        "type": "array",
                        "items": {
                          "type": "object",
                          "properties": {
                            "key": { "type": "string" },
                            "operator": { "type": "string" },
                            "values": {
                              "type": "array",
                              "items": { "type": "string" },
                              "x-kubernetes-list-type": "atomic",
                            },
                          },
                          "required": ["key", "operator"],
                        },
                        "x-kubernetes-list-type": "atomic",
                      },
                      "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
                    },
                    "x-kubernetes-map-type": "atomic",
                  },
                  "namespaces": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
                  "topologyKey": { "type": "string" },
                },
                "required": ["topologyKey"],
              },
              "weight": { "type": "integer", "format": "int32" },
            },
            "required": ["weight", "podAffinityTerm"],
          },
          "x-kubernetes-list-type": "atomic",
        },
        "requiredDuringSchedulingIgnoredDuringExecution": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "labelSelector": {
                "type": "object",
                "properties": {
                  "matchExpressions": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "properties": {
                        "key": { "type": "string" },
                        "operator": { "type": "string" },
                        "values": {
                          "type": "array",
                          "items": { "type": "string" },
                          "x-kubernetes-list-type": "atomic",
                        },
                      },
                      "required": ["key", "operator"],
                    },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
                },
                "x-kubernetes-map-type": "atomic",
              },
              "matchLabelKeys": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
              "mismatchLabelKeys": {
                "type": "array",
                "items": { "type": "string" },
                "x-kubernetes-list-type": "atomic",
              },
              "namespaceSelector": {
                "type": "object",
                "properties": {
                  "matchExpressions": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "properties": {
                        "key": { "type": "string" },
                        "operator": { "type": "string" },
                        "values": {
                          "type": "array",
                          "items": { "type": "string" },
                          "x-kubernetes-list-type": "atomic",
                        },
                      },
                      "required": ["key", "operator"],
                    },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
                },
                "x-kubernetes-map-type": "atomic",
              },
              "namespaces": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
              "topologyKey": { "type": "string" },
            },
            "required": ["topologyKey"],
          },
          "x-kubernetes-list-type": "atomic",
        },
      },
    },
    "podAntiAffinity": {
      "type": "object",
      "properties": {
        "preferredDuringSchedulingIgnoredDuringExecution": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "podAffinityTerm": {
                "type": "object",
                "properties": {
                  "labelSelector": {
                    "type": "object",
                    "properties": {
                      "matchExpressions": {
                        "type": "array",
                        "items": {
                          "type": "object",
                          "properties": {
                            "key": { "type": "string" },
                            "operator": { "type": "string" },
                            "values": {
                              "type": "array",
                              "items": { "type": "string" },
                              "x-kubernetes-list-type": "atomic",
                            },
                          },
                          "required": ["key", "operator"],
                        },
                        "x-kubernetes-list-type": "atomic",
                      },
                      "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
                    },
                    "x-kubernetes-map-type": "atomic",
                  },
                  "matchLabelKeys": {
                    "type": "array",
                    "items": { "type": "string" },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "mismatchLabelKeys": {
                    "type": "array",
                    "items": { "type": "string" },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "namespaceSelector": {
                    "type": "object",
                    "properties": {
                      "matchExpressions": {
                        "type": "array",
                        "items": {
                          "type": "object",
                          "properties": {
                            "key": { "type": "string" },
                            "operator": { "type": "string" },
                            "values": {
                              "type": "array",
                              "items": { "type": "string" },
                              "x-kubernetes-list-type": "atomic",
                            },
                          },
                          "required": ["key", "operator"],
                        },
                        "x-kubernetes-list-type": "atomic",
                      },
                      "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
                    },
                    "x-kubernetes-map-type": "atomic",
                  },
                  "namespaces": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
                  "topologyKey": { "type": "string" },
                },
                "required": ["topologyKey"],
              },
              "weight": { "type": "integer", "format": "int32" },
            },
            "required": ["weight", "podAffinityTerm"],
          },
          "x-kubernetes-list-type": "atomic",
        },
        "requiredDuringSchedulingIgnoredDuringExecution": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "labelSelector": {
                "type": "object",
                "properties": {
                  "matchExpressions": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "properties": {
                        "key": { "type": "string" },
                        "operator": { "type": "string" },
                        "values": {
                          "type": "array",
                          "items": { "type": "string" },
                          "x-kubernetes-list-type": "atomic",
                        },
                      },
                      "required": ["key", "operator"],
                    },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
                },
                "x-kubernetes-map-type": "atomic",
              },
              "matchLabelKeys": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
              "mismatchLabelKeys": {
                "type": "array",
                "items": { "type": "string" },
                "x-kubernetes-list-type": "atomic",
              },
              "namespaceSelector": {
                "type": "object",
                "properties": {
                  "matchExpressions": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "properties": {
                        "key": { "type": "string" },
                        "operator": { "type": "string" },
                        "values": {
                          "type": "array",
                          "items": { "type": "string" },
                          "x-kubernetes-list-type": "atomic",
                        },
                      },
                      "required": ["key", "operator"],
                    },
                    "x-kubernetes-list-type": "atomic",
                  },
                  "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
                },
                "x-kubernetes-map-type": "atomic",
              },
              "namespaces": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
              "topologyKey": { "type": "string" },
            },
            "required": ["topologyKey"],
          },
          "x-kubernetes-list-type": "atomic",
        },
      },
    },
  },
} as const;

/** `io.k8s.api.core.v1.LocalObjectReference` */
export const LocalObjectReference = {
  "type": "object",
  "properties": { "name": { "type": "string" } },
  "x-kubernetes-map-type": "atomic",
} as const;

/** `io.k8s.api.core.v1.PodSecurityContext` */
export const PodSecurityContext = {
  "type": "object",
  "properties": {
    "appArmorProfile": {
      "type": "object",
      "properties": { "localhostProfile": { "type": "string" }, "type": { "type": "string" } },
      "required": ["type"],
    },
    "fsGroup": { "type": "integer", "format": "int64" },
    "fsGroupChangePolicy": { "type": "string" },
    "runAsGroup": { "type": "integer", "format": "int64" },
    "runAsNonRoot": { "type": "boolean" },
    "runAsUser": { "type": "integer", "format": "int64" },
    "seLinuxChangePolicy": { "type": "string" },
    "seLinuxOptions": {
      "type": "object",
      "properties": {
        "level": { "type": "string" },
        "role": { "type": "string" },
        "type": { "type": "string" },
        "user": { "type": "string" },
      },
    },
    "seccompProfile": {
      "type": "object",
      "properties": { "localhostProfile": { "type": "string" }, "type": { "type": "string" } },
      "required": ["type"],
    },
    "supplementalGroups": {
      "type": "array",
      "items": { "type": "integer", "format": "int64" },
      "x-kubernetes-list-type": "atomic",
    },
    "supplementalGroupsPolicy": { "type": "string" },
    "sysctls": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": { "name": { "type": "string" }, "value": { "type": "string" } },
        "required": ["name", "value"],
      },
      "x-kubernetes-list-type": "atomic",
    },
    "windowsOptions": {
      "type": "object",
      "properties": {
        "gmsaCredentialSpec": { "type": "string" },
        "gmsaCredentialSpecName": { "type": "string" },
        "hostProcess": { "type": "boolean" },
        "runAsUserName": { "type": "string" },
      },
    },
  },
} as const;

/** `io.k8s.api.core.v1.ResourceRequirements` */
export const ResourceRequirements = {
  "type": "object",
  "properties": {
    "claims": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": { "name": { "type": "string" }, "request": { "type": "string" } },
        "required": ["name"],
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    "limits": {
      "type": "object",
      "additionalProperties": {
        "x-kubernetes-int-or-string": true,
        "pattern":
          "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
      },
    },
    "requests": {
      "type": "object",
      "additionalProperties": {
        "x-kubernetes-int-or-string": true,
        "pattern":
          "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
      },
    },
  },
} as const;

/** `io.k8s.api.core.v1.SecurityContext` */
export const SecurityContext = {
  "type": "object",
  "properties": {
    "allowPrivilegeEscalation": { "type": "boolean" },
    "appArmorProfile": {
      "type": "object",
      "properties": { "localhostProfile": { "type": "string" }, "type": { "type": "string" } },
      "required": ["type"],
    },
    "capabilities": {
      "type": "object",
      "properties": {
        "add": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
        "drop": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
      },
    },
    "privileged": { "type": "boolean" },
    "procMount": { "type": "string" },
    "readOnlyRootFilesystem": { "type": "boolean" },
    "runAsGroup": { "type": "integer", "format": "int64" },
    "runAsNonRoot": { "type": "boolean" },
    "runAsUser": { "type": "integer", "format": "int64" },
    "seLinuxOptions": {
      "type": "object",
      "properties": {
        "level": { "type": "string" },
        "role": { "type": "string" },
        "type": { "type": "string" },
        "user": { "type": "string" },
      },
    },
    "seccompProfile": {
      "type": "object",
      "properties": { "localhostProfile": { "type": "string" }, "type": { "type": "string" } },
      "required": ["type"],
    },
    "windowsOptions": {
      "type": "object",
      "properties": {
        "gmsaCredentialSpec": { "type": "string" },
        "gmsaCredentialSpecName": { "type": "string" },
        "hostProcess": { "type": "boolean" },
        "runAsUserName": { "type": "string" },
      },
    },
  },
} as const;

/** `io.k8s.api.core.v1.Toleration` */
export const Toleration = {
  "type": "object",
  "properties": {
    "effect": { "type": "string" },
    "key": { "type": "string" },
    "operator": { "type": "string" },
    "tolerationSeconds": { "type": "integer", "format": "int64" },
    "value": { "type": "string" },
  },
} as const;

/** `io.k8s.api.core.v1.TopologySpreadConstraint` */
export const TopologySpreadConstraint = {
  "type": "object",
  "properties": {
    "labelSelector": {
      "type": "object",
      "properties": {
        "matchExpressions": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "key": { "type": "string" },
              "operator": { "type": "string" },
              "values": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
            },
            "required": ["key", "operator"],
          },
          "x-kubernetes-list-type": "atomic",
        },
        "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
      },
      "x-kubernetes-map-type": "atomic",
    },
    "matchLabelKeys": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
    "maxSkew": { "type": "integer", "format": "int32" },
    "minDomains": { "type": "integer", "format": "int32" },
    "nodeAffinityPolicy": { "type": "string" },
    "nodeTaintsPolicy": { "type": "string" },
    "topologyKey": { "type": "string" },
    "whenUnsatisfiable": { "type": "string" },
  },
  "required": ["maxSkew", "topologyKey", "whenUnsatisfiable"],
} as const;

/** `io.k8s.api.apps.v1.DeploymentStatus` */
export const DeploymentStatus = {
  "type": "object",
  "properties": {
    "availableReplicas": { "type": "integer", "format": "int32" },
    "collisionCount": { "type": "integer", "format": "int32" },
    "conditions": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "lastTransitionTime": { "type": "string", "format": "date-time" },
          "lastUpdateTime": { "type": "string", "format": "date-time" },
          "message": { "type": "string" },
          "reason": { "type": "string" },
          "status": { "type": "string" },
          "type": { "type": "string" },
        },
        "required": ["type", "status"],
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    },
    "observedGeneration": { "type": "integer", "format": "int64" },
    "readyReplicas": { "type": "integer", "format": "int32" },
    "replicas": { "type": "integer", "format": "int32" },
    "terminatingReplicas": { "type": "integer", "format": "int32" },
    "unavailableReplicas": { "type": "integer", "format": "int32" },
    "updatedReplicas": { "type": "integer", "format": "int32" },
  },
} as const;

/** `io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior` */
export const HorizontalPodAutoscalerBehavior = {
  "type": "object",
  "properties": {
    "scaleDown": {
      "type": "object",
      "properties": {
        "policies": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "periodSeconds": { "type": "integer", "format": "int32" },
              "type": { "type": "string" },
              "value": { "type": "integer", "format": "int32" },
            },
            "required": ["type", "value", "periodSeconds"],
          },
          "x-kubernetes-list-type": "atomic",
        },
        "selectPolicy": { "type": "string" },
        "stabilizationWindowSeconds": { "type": "integer", "format": "int32" },
        "tolerance": {
          "x-kubernetes-int-or-string": true,
          "pattern":
            "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
        },
      },
    },
    "scaleUp": {
      "type": "object",
      "properties": {
        "policies": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "periodSeconds": { "type": "integer", "format": "int32" },
              "type": { "type": "string" },
              "value": { "type": "integer", "format": "int32" },
            },
            "required": ["type", "value", "periodSeconds"],
          },
          "x-kubernetes-list-type": "atomic",
        },
        "selectPolicy": { "type": "string" },
        "stabilizationWindowSeconds": { "type": "integer", "format": "int32" },
        "tolerance": {
          "x-kubernetes-int-or-string": true,
          "pattern":
            "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
        },
      },
    },
  },
} as const;

/** `io.k8s.api.autoscaling.v2.MetricSpec` */
export const MetricSpec = {
  "type": "object",
  "properties": {
    "containerResource": {
      "type": "object",
      "properties": {
        "container": { "type": "string" },
        "name": { "type": "string" },
        "target": {
          "type": "object",
          "properties": {
            "averageUtilization": { "type": "integer", "format": "int32" },
            "averageValue": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
            "type": { "type": "string" },
            "value": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
          },
          "required": ["type"],
        },
      },
      "required": ["name", "target", "container"],
    },
    "external": {
      "type": "object",
      "properties": {
        "metric": {
          "type": "object",
          "properties": {
            "name": { "type": "string" },
            "selector": {
              "type": "object",
              "properties": {
                "matchExpressions": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "key": { "type": "string" },
                      "operator": { "type": "string" },
                      "values": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
                    },
                    "required": ["key", "operator"],
                  },
                  "x-kubernetes-list-type": "atomic",
                },
                "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
              },
              "x-kubernetes-map-type": "atomic",
            },
          },
          "required": ["name"],
        },
        "target": {
          "type": "object",
          "properties": {
            "averageUtilization": { "type": "integer", "format": "int32" },
            "averageValue": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
            "type": { "type": "string" },
            "value": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
          },
          "required": ["type"],
        },
      },
      "required": ["metric", "target"],
    },
    "object": {
      "type": "object",
      "properties": {
        "describedObject": {
          "type": "object",
          "properties": {
            "apiVersion": { "type": "string" },
            "kind": { "type": "string" },
            "name": { "type": "string" },
          },
          "required": ["kind", "name"],
        },
        "metric": {
          "type": "object",
          "properties": {
            "name": { "type": "string" },
            "selector": {
              "type": "object",
              "properties": {
                "matchExpressions": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "key": { "type": "string" },
                      "operator": { "type": "string" },
                      "values": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
                    },
                    "required": ["key", "operator"],
                  },
                  "x-kubernetes-list-type": "atomic",
                },
                "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
              },
              "x-kubernetes-map-type": "atomic",
            },
          },
          "required": ["name"],
        },
        "target": {
          "type": "object",
          "properties": {
            "averageUtilization": { "type": "integer", "format": "int32" },
            "averageValue": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
            "type": { "type": "string" },
            "value": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
          },
          "required": ["type"],
        },
      },
      "required": ["describedObject", "target", "metric"],
    },
    "pods": {
      "type": "object",
      "properties": {
        "metric": {
          "type": "object",
          "properties": {
            "name": { "type": "string" },
            "selector": {
              "type": "object",
              "properties": {
                "matchExpressions": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "key": { "type": "string" },
                      "operator": { "type": "string" },
                      "values": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" },
                    },
                    "required": ["key", "operator"],
                  },
                  "x-kubernetes-list-type": "atomic",
                },
                "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
              },
              "x-kubernetes-map-type": "atomic",
            },
          },
          "required": ["name"],
        },
        "target": {
          "type": "object",
          "properties": {
            "averageUtilization": { "type": "integer", "format": "int32" },
            "averageValue": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
            "type": { "type": "string" },
            "value": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
          },
          "required": ["type"],
        },
      },
      "required": ["metric", "target"],
    },
    "resource": {
      "type": "object",
      "properties": {
        "name": { "type": "string" },
        "target": {
          "type": "object",
          "properties": {
            "averageUtilization": { "type": "integer", "format": "int32" },
            "averageValue": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
            "type": { "type": "string" },
            "value": {
              "x-kubernetes-int-or-string": true,
              "pattern":
                "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
            },
          },
          "required": ["type"],
        },
      },
      "required": ["name", "target"],
    },
    "type": { "type": "string" },
  },
  "required": ["type"],
} as const;
